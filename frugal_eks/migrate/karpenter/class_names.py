"""Assigns node classes to old Provisioners: the template's, unless kubelet settings differ.

Kubelet settings were on the pool and are on the class now: pools that share a template but want
different settings get a class each.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from components.karpenter.crd_structure import as_map
from frugal_eks.migrate.karpenter import schemas

Document = Mapping[str, Any]

OLD_POOL = ("karpenter.sh/v1alpha5", "Provisioner")
OLD_CLASS = ("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate")
CLASS = ("karpenter.k8s.aws/v1", "EC2NodeClass")

DROPPED_KUBELET = "containerRuntime"


class Shared(NamedTuple):
    """A node class made from a template."""

    name: str
    kubelet: Mapping[str, Any]
    pools: Sequence[str]
    """Names of the Provisioners that use the class."""


def is_a(document: Document, api: tuple[str, str]) -> bool:
    """True if the document has this apiVersion and kind."""
    return (document.get("apiVersion"), document.get("kind")) == api


def name_of(document: Document) -> str:
    """The object's name; `default` if absent, as in templates of other tools."""
    return str(as_map(document.get("metadata")).get("name") or "default")


def template_of(provisioner: Document) -> str | None:
    """Template that a Provisioner refers to; None if its provider is inline or absent."""
    reference = as_map(as_map(provisioner.get("spec")).get("providerRef"))
    return str(reference["name"]) if reference.get("name") else None


def classes_of(template: str, documents: Sequence[Document]) -> list[Shared]:
    """Classes that a template becomes: one, or one for each set of kubelet settings.
    The first keeps the template's name; the names of the others include their first pool.
    """
    users = [
        document
        for document in documents
        if is_a(document, OLD_POOL) and template_of(document) == template
    ]
    choices: list[tuple[dict[str, Any], list[str]]] = []
    # Pools without settings first: theirs is the class that keeps the name.
    for user in sorted(users, key=lambda provisioner: bool(kubelet(provisioner))):
        settings = kubelet(user)
        same = [pools for known, pools in choices if known == settings]
        if same:
            same[0].append(name_of(user))
        else:
            choices.append((settings, [name_of(user)]))
    if not choices:
        return [Shared(template, {}, [])]
    taken = {
        name_of(document)
        for document in documents
        if is_a(document, OLD_CLASS) or is_a(document, CLASS)
    }
    shared: list[Shared] = []
    for number, (settings, pools) in enumerate(choices):
        name = template if number == 0 else _free(f"{template}-{pools[0]}", taken)
        taken.add(name)
        shared.append(Shared(name, settings, pools))
    return shared


def inline_class_of(provisioner: Document, documents: Sequence[Document]) -> str:
    """Name of the class that an inline provider becomes: the Provisioner's own."""
    taken = {
        name_of(document)
        for document in documents
        if is_a(document, OLD_CLASS) or is_a(document, CLASS)
    }
    return _free(name_of(provisioner), taken)


def kubelet(provisioner: Document) -> dict[str, Any]:
    """A Provisioner's kubelet settings in a node class's form: amounts as text."""
    spec, _ = schemas.checked("Provisioner", provisioner.get("spec") or {})
    settings = as_map(spec.get("kubeletConfiguration"))
    converted: dict[str, Any] = {}
    for key, value in settings.items():
        if key in ("kubeReserved", "systemReserved"):
            converted[key] = {name: str(amount) for name, amount in value.items()}
        elif key != DROPPED_KUBELET:
            converted[key] = value
    return converted


def has(api: tuple[str, str], name: str, documents: Sequence[Document]) -> bool:
    """True if an object of this apiVersion, kind and name is among the documents."""
    return any(is_a(document, api) and name_of(document) == name for document in documents)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-own"
    return name
