"""Which component of its program a resource belongs to."""

from collections import Counter
from collections.abc import Iterable, Mapping

from frugal_eks.plans.previews.changes import Change
from frugal_eks.plans.previews.steps import STACK, Resource

OUTSIDE = ""
"""Of resources in no component."""


def component(resource: Resource, by_urn: Mapping[str, Resource], root: str = "") -> str:
    """The name of the outermost component around it, below `root`; OUTSIDE if there is none.

    A component belongs to itself.
    """
    found = OUTSIDE
    at: Resource | None = resource
    while at and at.type != STACK and at.urn != root:
        if not at.custom:
            found = at.name
        at = by_urn.get(at.parent)
    return found


def root(resources: Iterable[Resource], by_urn: Mapping[str, Resource]) -> str:
    """The URN of a component that holds most of the program, as Platform does; else empty.

    Split by it, everything would be in one part: what it is made of is of more use.
    """
    things = [one for one in resources if one.is_thing]
    outermost = Counter(_outermost(one, by_urn) for one in things)
    for urn, count in outermost.most_common(1):
        if urn and 2 * count > len(things) and _parts(urn, by_urn) > 1:
            return urn
    return ""


def by_component(
    changes: Iterable[Change], by_urn: Mapping[str, Resource]
) -> dict[str, list[Change]]:
    """In the order of their names, those of no component first."""
    top = root(by_urn.values(), by_urn)
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(component(change.resource, by_urn, top), []).append(change)
    return dict(sorted(found.items()))


def _outermost(resource: Resource, by_urn: Mapping[str, Resource]) -> str:
    found, at = "", by_urn.get(resource.parent)
    while at and at.type != STACK:
        found, at = at.urn, by_urn.get(at.parent)
    return found


def _parts(urn: str, by_urn: Mapping[str, Resource]) -> int:
    return sum(one.parent == urn and not one.custom for one in by_urn.values())
