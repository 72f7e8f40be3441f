"""Finds policy documents: as JSON text or as objects, in any property of any resource."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frugal_eks.plans.json_values import elements, mapping, parsed, statements
from frugal_eks.plans.previews import UNKNOWN, Change, Resource
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
        """True if the document is a role's trust policy."""
        return self.path == TRUST


def documents(resource: Resource | None) -> list[Document]:
    """Policy documents among a resource's inputs; unknown ones are skipped."""
    if not resource or resource.type.startswith("kubernetes:"):
        return []
    return [Document(path, tuple(read(content))) for path, content in _search(resource.inputs, "")]


def unknown(change: Change) -> list[str]:
    """Properties that held a document before, and whose new document is known only after `up`."""
    if not (change.old and change.new):
        return []
    held = {document.path for document in documents(change.old)}
    return [path for path in sorted(held) if change.new.inputs.get(path) == UNKNOWN]


def holder(resource: Resource, document: Document) -> str:
    """Key of the holder of the rights: a role's inline policies share one, wherever they are
    written.
    """
    owner = resource.inputs.get(_OF_A_ROLE.get(resource.type, ""))
    if resource.type == ROLE and not document.is_trust:
        owner = resource.inputs.get("name")
    return (
        owner if isinstance(owner, str) and owner != UNKNOWN else f"{resource.urn} {document.path}"
    )


def owner(resource: Resource) -> Any:
    """The role, user or group that an inline policy belongs to; None for other resources."""
    return resource.inputs.get(_OF_A_ROLE.get(resource.type, ""))


def _search(value: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, str):
        if value.lstrip().startswith("{") and '"Statement"' in value:
            yield from _search(parsed(value), path)
    elif isinstance(value, Mapping):
        given = mapping(value)
        if _is_document(given):
            yield path, given
            return
        for name, item in given.items():
            yield from _search(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for i, item in enumerate(elements(value)):
            yield from _search(item, f"{path}[{i}]")


def _is_document(value: Mapping[str, Any]) -> bool:
    return any("Effect" in statement for statement in statements(value))
