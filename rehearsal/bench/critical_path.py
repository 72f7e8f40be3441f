"""What waits for what in a deployed stack, and how long that takes, from its exported state.

The edges are those of the Pulumi engine: dependencies, dependencies of single properties, parent,
provider and `deletedWith`; what depends on a component depends on its children too.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

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
        """The last part of the URN, as the program wrote it."""
        return self.urn.rpartition("::")[2]


class Step(NamedTuple):
    """One resource of a path: when it is begun and done, in seconds from the start."""

    resource: Resource
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it takes itself."""
        return self.end - self.start


Seconds = Callable[[Resource], float]


class StateError(ValueError):
    """The export is not what `pulumi stack export` prints; the message says what is missing."""


def read(export: Mapping[str, Any]) -> list[Resource]:
    """The resources of an exported state, each after what it needs, as the engine keeps them.

    EKS makes and deletes the Fargate profiles of a cluster one at a time, whatever the program
    says: each profile needs the one before it. Raises StateError if this is no exported state.
    """
    try:
        rows: list[dict[str, Any]] = export["deployment"].get("resources") or []
    except (KeyError, AttributeError):
        raise StateError(
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
    """What the state names: all that counts with its children, and what counts by itself."""
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
    """Who waits for a component waits for all of it that is there by then."""
    depends, alone = named
    found, open_ = set[str](), list(depends)
    while open_:
        urn = open_.pop()
        if urn in found:
            continue
        found.add(urn)
        if urn in known and not known[urn].custom:
            open_ += children.get(urn, [])
    return found | alone


def create(resources: Iterable[Resource], seconds: Seconds, until: str | None = None) -> list[Step]:
    """The longest chain of resources that wait for each other while they are made.

    It ends with the resource that is done last, or with the last of the type `until` if there is
    one of that type.
    """
    steps: dict[str, Step] = {}
    before: dict[str, str | None] = {}
    for resource in resources:
        last = max(resource.needs, key=lambda urn: (steps[urn].end, urn), default=None)
        start = steps[last].end if last else 0.0
        steps[resource.urn] = Step(resource, start, start + _own(resource, seconds))
        before[resource.urn] = last
    ends = [urn for urn, step in steps.items() if step.resource.type == until] or list(steps)
    return _path(steps, before, ends)


def destroy(resources: Iterable[Resource], seconds: Seconds) -> list[Step]:
    """The longest chain while they are deleted: each waits for all that need it."""
    listed = list(resources)
    needed_by: dict[str, set[str]] = {resource.urn: set() for resource in listed}
    for resource in listed:
        for urn in resource.needs:
            needed_by[urn].add(resource.urn)
    turned = [resource._replace(needs=frozenset(needed_by[resource.urn])) for resource in listed]
    return create(reversed(turned), seconds)


def destroy_in_waves(resources: Iterable[Resource], seconds: Seconds) -> list[Step]:
    """How the engine really deletes: wave by wave, each as long as its slowest resource.

    It does not start what could start: all of a depth of the graph is deleted, then the next depth
    (`ScheduleDeletes` in the engine). So this takes at least as long as `destroy`.
    """
    waves: dict[int, list[Resource]] = {}
    depth: dict[str, int] = {}
    for resource in resources:
        level = 1 + max((depth[urn] for urn in resource.needs), default=-1)
        depth[resource.urn] = level
        waves.setdefault(level, []).append(resource)
    steps: list[Step] = []
    now = 0.0
    for level in sorted(waves, reverse=True):
        slowest = max(waves[level], key=lambda resource: (_own(resource, seconds), resource.urn))
        steps.append(Step(slowest, now, now + _own(slowest, seconds)))
        now = steps[-1].end
    return [step for step in steps if step.seconds]


def total(steps: list[Step]) -> float:
    """Seconds from the start of the first to the end of the last."""
    return steps[-1].end if steps else 0.0


def _own(resource: Resource, seconds: Seconds) -> float:
    """A component is made of its children: it takes no time itself."""
    return seconds(resource) if resource.custom else 0.0


def _path(
    steps: Mapping[str, Step], before: Mapping[str, str | None], ends: list[str]
) -> list[Step]:
    """Back from what is done last of `ends`; what takes no time is left out."""
    urn = max(ends, key=lambda urn: (steps[urn].end, urn), default=None)
    path: list[Step] = []
    while urn:
        path.append(steps[urn])
        urn = before[urn]
    return [step for step in reversed(path) if step.seconds]
