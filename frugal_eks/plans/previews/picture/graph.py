"""The boxes of the picture and the arrows between them, from a preview's resources."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from frugal_eks.plans.previews.components import root
from frugal_eks.plans.previews.picture.words import contents, is_right, title, words
from frugal_eks.plans.previews.preview import HOW, Preview
from frugal_eks.plans.previews.steps import STACK, Resource

Side = Literal["aws", "cluster"]
ROOM_OF = 2
"""A component with as many components of its own is a room; with fewer it is one box."""


class PictureError(Exception):
    """A preview that cannot be drawn; one sentence, with what to do."""


@dataclass(frozen=True)
class Box:
    """A component, or in a room the things of one type that are in no component of it."""

    key: str
    title: str
    lines: tuple[str, ...]
    """What it makes, in short."""
    side: Side
    """In the cluster if any of it is a Kubernetes object, else in the AWS account."""
    room: str = ""
    """The title of the component around it, if that is a room."""


@dataclass(frozen=True)
class Graph:
    """What is drawn."""

    name: str
    boxes: Sequence[Box]
    edges: frozenset[tuple[str, str]]
    """From what must be there first to what waits for it, by keys."""
    resources: int


@dataclass
class _Draft:
    """A box whose things are still being looked for."""

    key: str
    title: str
    room: str = ""
    things: list[Resource] = field(default_factory=list[Resource])


def graph(preview: Preview) -> Graph:
    """Raises PictureError if the preview tells only what changes, or leaves nothing."""
    if not preview.is_whole:
        raise PictureError(f"tells only what changes, and a picture shows all there is: {HOW}")
    # In an order of their own: the engine's differs from run to run.
    resources = {one.urn: one for one in sorted(preview.after, key=lambda one: one.urn)}
    drafts, owner = _drafts(resources)
    for one in resources.values():
        at = _owner(one, owner, resources)
        if at and one.is_thing:
            drafts[at].things.append(one)
    full = {key: draft for key, draft in drafts.items() if draft.things}
    if not full:
        raise PictureError("has no resource that would be there after `up`: nothing to draw")
    return Graph(
        name=f"The {preview.stack} stack of {preview.project}",
        boxes=[_box(draft) for draft in full.values()],
        edges=frozenset(_edges(resources, owner, full)),
        resources=sum(one.is_thing for one in resources.values()),
    )


def _drafts(resources: Mapping[str, Resource]) -> tuple[dict[str, _Draft], dict[str, str]]:
    """Boxes by key, and the key of the box that owns a component or thing, by its URN."""
    top = root(resources.values(), resources)
    stack = next((urn for urn, one in resources.items() if one.type == STACK), "")
    drafts: dict[str, _Draft] = {}
    owner: dict[str, str] = {}

    def add(component: Resource, room: Resource | None) -> None:
        inside = _boxes_inside(component, resources.values())
        if room is None and len(inside) >= ROOM_OF:
            for one in inside:
                add(one, component)
            loose(component.urn, component)
            return
        owner[component.urn] = component.urn
        named = title(component, room)
        drafts[component.urn] = _Draft(component.urn, named, _room(room))

    def loose(parent: str, room: Resource | None) -> None:
        for one in resources.values():
            if one.parent == parent and one.is_thing:
                key = f"{parent} {one.type}"
                drafts.setdefault(key, _Draft(key, words(one.type.rpartition(":")[2]), _room(room)))
                owner[one.urn] = key

    for one in resources.values():
        if one.parent == (top or stack) and not one.custom and one.type != STACK:
            add(one, None)
    loose(top or stack, None)
    return drafts, owner


def _boxes_inside(component: Resource, resources: Iterable[Resource]) -> list[Resource]:
    """Its components that are worth a box: neither rights alone, nor several of one type."""
    every = list(resources)
    inside = [one for one in every if one.parent == component.urn and not one.custom]
    types = Counter(one.type for one in inside)
    return [
        one
        for one in inside
        if types[one.type] == 1
        and any(not is_right(thing) for thing in every if thing.is_thing and _below(thing, one))
    ]


def _below(resource: Resource, component: Resource) -> bool:
    """By the URN, which has the types of all parents; names are compared where it is a child."""
    types = component.urn.rpartition("::")[0]
    child = resource.parent == component.urn
    return child or (resource.urn.startswith(f"{types}$") and resource.parent != component.parent)


def _room(room: Resource | None) -> str:
    return title(room, None) if room else ""


def _owner(
    resource: Resource, owner: Mapping[str, str], resources: Mapping[str, Resource]
) -> str | None:
    at: Resource | None = resource
    while at:
        if at.urn in owner:
            return owner[at.urn]
        at = resources.get(at.parent)
    return None


def _box(draft: _Draft) -> Box:
    in_cluster = any(one.type.startswith("kubernetes:") for one in draft.things)
    side: Side = "cluster" if in_cluster else "aws"
    return Box(draft.key, draft.title, contents(draft.things, draft.title), side, draft.room)


def _edges(
    resources: Mapping[str, Resource], owner: Mapping[str, str], drafts: Mapping[str, _Draft]
) -> Iterable[tuple[str, str]]:
    for one in resources.values():
        here = _owner(one, owner, resources)
        provider = one.provider.rpartition("::")[0]
        for urn in (*one.dependencies, provider):
            needed = resources.get(urn)
            there = _owner(needed, owner, resources) if needed else None
            if here and there and here != there and {here, there} <= drafts.keys():
                yield there, here
