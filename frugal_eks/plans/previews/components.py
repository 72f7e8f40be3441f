"""Maps resources to the components of their program."""

from collections import Counter
from collections.abc import Iterable, Mapping

from frugal_eks.plans.previews.changes import Change
from frugal_eks.plans.previews.steps import STACK, Resource

OUTSIDE = ""
"""Name for resources outside all components."""


def component(resource: Resource, by_urn: Mapping[str, Resource], root: str = "") -> str:
    """Name of the outermost component around a resource, below `root`; OUTSIDE if there is none. A
    component belongs to itself.
    """
    name = OUTSIDE
    at: Resource | None = resource
    while at and at.type != STACK and at.urn != root:
        if not at.custom:
            name = at.name
        at = by_urn.get(at.parent)
    return name


def root(resources: Iterable[Resource], by_urn: Mapping[str, Resource]) -> str:
    """URN of a component that holds most of the program, as Platform does; else empty.
    Components are then counted below it, since all resources would be in one part otherwise.
    """
    things = [resource for resource in resources if resource.is_thing]
    outermost = Counter(_outermost(resource, by_urn) for resource in things)
    for urn, count in outermost.most_common(1):
        if urn and 2 * count > len(things) and _parts(urn, by_urn) > 1:
            return urn
    return ""


def by_component(
    changes: Iterable[Change], by_urn: Mapping[str, Resource]
) -> dict[str, list[Change]]:
    """Changes by component, in order of name; those outside all components first."""
    top = root(by_urn.values(), by_urn)
    grouped: dict[str, list[Change]] = {}
    for change in changes:
        grouped.setdefault(component(change.resource, by_urn, top), []).append(change)
    return dict(sorted(grouped.items()))


def _outermost(resource: Resource, by_urn: Mapping[str, Resource]) -> str:
    urn, at = "", by_urn.get(resource.parent)
    while at and at.type != STACK:
        urn, at = at.urn, by_urn.get(at.parent)
    return urn


def _parts(urn: str, by_urn: Mapping[str, Resource]) -> int:
    return sum(resource.parent == urn and not resource.custom for resource in by_urn.values())
