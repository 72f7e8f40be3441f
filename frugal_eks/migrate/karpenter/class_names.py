"""Which node class an old Provisioner gets: its template's, unless its kubelet settings differ.

Kubelet settings stood on the pool and stand on the class now: pools that share a template and want
different ones get a class each.
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
    """One class made of a template."""

    name: str
    kubelet: Mapping[str, Any]
    pools: Sequence[str]
    """The Provisioners that use it."""


def is_a(document: Document, api: tuple[str, str]) -> bool:
    """Whether the document is of this apiVersion and kind."""
    return (document.get("apiVersion"), document.get("kind")) == api


def name_of(document: Document) -> str:
    """The object's name; `default` where it has none, as in a template of somebody's tool."""
    return str(as_map(document.get("metadata")).get("name") or "default")


def template_of(provisioner: Document) -> str | None:
    """The template that a Provisioner refers to; None: its own, inline, or none."""
    reference = as_map(as_map(provisioner.get("spec")).get("providerRef"))
    return str(reference["name"]) if reference.get("name") else None


def classes_of(template: str, documents: Sequence[Document]) -> list[Shared]:
    """The classes that a template becomes: one, or one for each choice of kubelet settings.

    The first keeps the template's name; the others carry their first pool's too.
    """
    users = [one for one in documents if is_a(one, OLD_POOL) and template_of(one) == template]
    choices: list[tuple[dict[str, Any], list[str]]] = []
    # Pools without settings first: theirs is the class that keeps the name.
    for user in sorted(users, key=lambda one: bool(kubelet(one))):
        settings = kubelet(user)
        same = [pools for known, pools in choices if known == settings]
        if same:
            same[0].append(name_of(user))
        else:
            choices.append((settings, [name_of(user)]))
    if not choices:
        return [Shared(template, {}, [])]
    taken = {name_of(one) for one in documents if is_a(one, OLD_CLASS) or is_a(one, CLASS)}
    shared: list[Shared] = []
    for number, (settings, pools) in enumerate(choices):
        name = template if number == 0 else _free(f"{template}-{pools[0]}", taken)
        taken.add(name)
        shared.append(Shared(name, settings, pools))
    return shared


def inline_class_of(provisioner: Document, documents: Sequence[Document]) -> str:
    """The name of the class that an inline provider becomes: the Provisioner's own."""
    taken = {name_of(one) for one in documents if is_a(one, OLD_CLASS) or is_a(one, CLASS)}
    return _free(name_of(provisioner), taken)


def kubelet(provisioner: Document) -> dict[str, Any]:
    """A Provisioner's kubelet settings as a class has them: amounts as text."""
    spec, _ = schemas.checked("Provisioner", provisioner.get("spec") or {})
    settings = as_map(spec.get("kubeletConfiguration"))
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if key in ("kubeReserved", "systemReserved"):
            found[key] = {name: str(amount) for name, amount in value.items()}
        elif key != DROPPED_KUBELET:
            found[key] = value
    return found


def has(api: tuple[str, str], name: str, documents: Sequence[Document]) -> bool:
    """Whether an object of this apiVersion, kind and name is among the documents."""
    return any(is_a(one, api) and name_of(one) == name for one in documents)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-own"
    return name
