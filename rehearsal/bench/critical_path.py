"""Finds the longest chains of resources in a deployed stack, from its exported state.

The edges are those of the Pulumi engine: dependencies, dependencies of single properties, parent,
provider and `deletedWith`; what depends on a component depends on its children too.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from rehearsal.errors import RehearsalError

FARGATE_PROFILE = "aws:eks/fargateProfile:FargateProfile"


class Resource(NamedTuple):
    """A resource of the state; `needs` are the URNs that must exist as long as it does."""

    urn: str
    type: str
    custom: bool
    inputs: Mapping[str, Any]
    needs: frozenset[str]

    @property
    def name(self) -> str:
        """Last part of the URN, as the program wrote it."""
        return self.urn.rpartition("::")[2]


class PathStep(NamedTuple):
    """A resource of a path: its start and end, in seconds from the beginning."""

    resource: Resource
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Duration of this resource alone."""
        return self.end - self.start


Seconds = Callable[[Resource], float]


def read(export: Mapping[str, Any]) -> list[Resource]:
    """The resources of an exported state, each after what it needs, as the engine keeps them.

    EKS makes and deletes the Fargate profiles of a cluster one at a time, whatever the program
    says: each profile needs the one before it. Raises RehearsalError if this is no exported state.
    """
    try:
        rows: list[dict[str, Any]] = export["deployment"].get("resources") or []
    except (KeyError, AttributeError):
        raise RehearsalError(
            "this is no exported state, there is no `deployment` in it:"
            " give what `pulumi stack export` prints"
        ) from None

    known: dict[str, Resource] = {}
    children: dict[str, list[str]] = {}
    profile: str | None = None
    for row in rows:
        if row.get("delete"):
            continue  # the remains of a replacement that was interrupted
        needs = _with_children(_named(row), known, children)
        if row["type"] == FARGATE_PROFILE:
            needs |= {profile} if profile else set()
            profile = row["urn"]
        known[row["urn"]] = Resource(
            row["urn"],
            row["type"],
            bool(row.get("custom")),
            row.get("inputs") or {},
            frozenset(needs & known.keys()),
        )
        children.setdefault(row.get("parent", ""), []).append(row["urn"])
    return list(known.values())


def _named(row: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """References in the state: those that count with their children, and those that count alone."""
    depends: set[str] = set(row.get("dependencies") or [])
    by_property: dict[str, list[str] | None] = row.get("propertyDependencies") or {}
    for urns in by_property.values():
        depends |= set(urns or [])
    # The reference of a provider is `<urn>::<id>`.
    provider = row.get("provider", "").rpartition("::")[0]
    alone = {row.get("parent", ""), provider, row.get("deletedWith", "")}
    return depends, alone - {""}


def _with_children(
    named: tuple[set[str], set[str]],
    known: Mapping[str, Resource],
    children: Mapping[str, list[str]],
) -> set[str]:
    """Dependencies with children: waiting for a component means waiting for all its parts so
    far.
    """
    depends, alone = named
    urns, open_ = set[str](), list(depends)
    while open_:
        urn = open_.pop()
        if urn in urns:
            continue
        urns.add(urn)
        if urn in known and not known[urn].custom:
            open_ += children.get(urn, [])
    return urns | alone


def create(
    resources: Iterable[Resource], seconds: Seconds, until: str | None = None
) -> list[PathStep]:
    """Longest chain of creations that wait for each other.
    It ends with the resource that is done last, or with the last of the type `until` if there is
    one.
    """
    steps: dict[str, PathStep] = {}
    before: dict[str, str | None] = {}
    for resource in resources:
        last = max(resource.needs, key=lambda urn: (steps[urn].end, urn), default=None)
        start = steps[last].end if last else 0.0
        steps[resource.urn] = PathStep(resource, start, start + _own(resource, seconds))
        before[resource.urn] = last
    ends = [urn for urn, step in steps.items() if step.resource.type == until] or list(steps)
    return _path(steps, before, ends)


def destroy(resources: Iterable[Resource], seconds: Seconds) -> list[PathStep]:
    """Longest chain of deletions: each resource waits for all that need it."""
    listed = list(resources)
    needed_by: dict[str, set[str]] = {resource.urn: set() for resource in listed}
    for resource in listed:
        for urn in resource.needs:
            needed_by[urn].add(resource.urn)
    turned = [resource._replace(needs=frozenset(needed_by[resource.urn])) for resource in listed]
    return create(reversed(turned), seconds)


def destroy_in_waves(resources: Iterable[Resource], seconds: Seconds) -> list[PathStep]:
    """Deletion as the engine does it: wave by wave, each as long as its slowest resource.

    It does not start what could start: all of a depth of the graph is deleted, then the next depth
    (`ScheduleDeletes` in the engine). So this takes at least as long as `destroy`.
    """
    waves: dict[int, list[Resource]] = {}
    depth: dict[str, int] = {}
    for resource in resources:
        level = 1 + max((depth[urn] for urn in resource.needs), default=-1)
        depth[resource.urn] = level
        waves.setdefault(level, []).append(resource)
    steps: list[PathStep] = []
    now = 0.0
    for level in sorted(waves, reverse=True):
        slowest = max(waves[level], key=lambda resource: (_own(resource, seconds), resource.urn))
        steps.append(PathStep(slowest, now, now + _own(slowest, seconds)))
        now = steps[-1].end
    return [step for step in steps if step.seconds]


def total(steps: list[PathStep]) -> float:
    """Seconds from the start of the first to the end of the last."""
    return steps[-1].end if steps else 0.0


def _own(resource: Resource, seconds: Seconds) -> float:
    """Own duration; a component takes none, since it consists of its children."""
    return seconds(resource) if resource.custom else 0.0


def _path(
    steps: Mapping[str, PathStep], before: Mapping[str, str | None], ends: list[str]
) -> list[PathStep]:
    """Path back from the last end in `ends`; what takes no time is left out."""
    urn = max(ends, key=lambda urn: (steps[urn].end, urn), default=None)
    path: list[PathStep] = []
    while urn:
        path.append(steps[urn])
        urn = before[urn]
    return [step for step in reversed(path) if step.seconds]
