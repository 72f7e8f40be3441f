"""Where policy documents stand: as JSON text or as objects, in any property of any resource."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frugal_eks.plans.previews import UNKNOWN, Change, Resource
from frugal_eks.plans.review.json_values import elements, mapping, parsed
from frugal_eks.plans.review.risks.statements import Statement, read

ROLE = "aws:iam/role:Role"
POLICY = "aws:iam/policy:Policy"
_OF_A_ROLE = {
    "aws:iam/rolePolicy:RolePolicy": "role",
    "aws:iam/userPolicy:UserPolicy": "user",
    "aws:iam/groupPolicy:GroupPolicy": "group",
}
TRUST = "assumeRolePolicy"


@dataclass(frozen=True)
class Document:
    """One policy document of a resource."""

    path: str
    statements: tuple[Statement, ...]

    @property
    def is_trust(self) -> bool:
        """Whether it says who may take a role on."""
        return self.path == TRUST


def documents(resource: Resource | None) -> list[Document]:
    """Those among its inputs. A document that is unknown yet is none."""
    if not resource or resource.type.startswith("kubernetes:"):
        return []
    return [Document(path, tuple(read(found))) for path, found in _found(resource.inputs, "")]


def unknown(change: Change) -> list[str]:
    """Properties that held a document, and hold one that only `up` will tell."""
    if not (change.old and change.new):
        return []
    held = {one.path for one in documents(change.old)}
    return [path for path in sorted(held) if change.new.inputs.get(path) == UNKNOWN]


def holder(resource: Resource, document: Document) -> str:
    """Whose rights it says: a role's inline policies are one, wherever they are written."""
    owner = resource.inputs.get(_OF_A_ROLE.get(resource.type, ""))
    if resource.type == ROLE and not document.is_trust:
        owner = resource.inputs.get("name")
    return (
        owner if isinstance(owner, str) and owner != UNKNOWN else f"{resource.urn} {document.path}"
    )


def owner(resource: Resource) -> Any:
    """The role, user or group that an inline policy belongs to; None of others."""
    return resource.inputs.get(_OF_A_ROLE.get(resource.type, ""))


def _found(value: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, str):
        if value.lstrip().startswith("{") and '"Statement"' in value:
            yield from _found(parsed(value), path)
    elif isinstance(value, Mapping):
        given = mapping(value)
        if _is_document(given):
            yield path, given
            return
        for name, one in given.items():
            yield from _found(one, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for i, one in enumerate(elements(value)):
            yield from _found(one, f"{path}[{i}]")


def _is_document(value: Mapping[str, Any]) -> bool:
    found = value.get("Statement")
    return any("Effect" in mapping(one) for one in elements(found) or [found])
