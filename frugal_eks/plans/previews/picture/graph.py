"""Builds the boxes of the picture and their arrows from a preview's resources."""

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
"""Number of child components that make a component a room; with fewer it is one box."""


class PictureError(Exception):
    """Why a preview cannot be drawn, in one sentence with the remedy."""


@dataclass(frozen=True)
class Box:
    """A component; or, in a room, the resources of one type outside its components."""

    key: str
    title: str
    lines: tuple[str, ...]
    """Short description of the contents."""
    side: Side
    """`cluster` if any resource is a Kubernetes object, else `aws`."""
    room: str = ""
    """Title of the surrounding component, if that is a room."""


@dataclass(frozen=True)
class Graph:
    """Boxes and arrows of a picture."""

    name: str
    boxes: Sequence[Box]
    edges: frozenset[tuple[str, str]]
    """Pairs of box keys: the box that must exist first, and the one that waits for it."""
    resources: int


@dataclass
class _Draft:
    """A box while its resources are being collected."""

    key: str
    title: str
    room: str = ""
    things: list[Resource] = field(default_factory=list[Resource])


def graph(preview: Preview) -> Graph:
    """Builds the graph. Raises PictureError if the preview lacks unchanged resources, or nothing is
    left.
    """
    if not preview.is_whole:
        raise PictureError(f"tells only what changes, and a picture shows all there is: {HOW}")
    # In an order of their own: the engine's differs from run to run.
    resources = {
        resource.urn: resource
        for resource in sorted(preview.after, key=lambda resource: resource.urn)
    }
    drafts, owner = _drafts(resources)
    for resource in resources.values():
        at = _owner(resource, owner, resources)
        if at and resource.is_thing:
            drafts[at].things.append(resource)
    full = {key: draft for key, draft in drafts.items() if draft.things}
    if not full:
        raise PictureError("has no resource that would be there after `up`: nothing to draw")
    return Graph(
        name=f"The {preview.stack} stack of {preview.project}",
        boxes=[_box(draft) for draft in full.values()],
        edges=frozenset(_edges(resources, owner, full)),
        resources=sum(resource.is_thing for resource in resources.values()),
    )


def _drafts(resources: Mapping[str, Resource]) -> tuple[dict[str, _Draft], dict[str, str]]:
    """Boxes by key, and by the URN of a component or resource the key of its box."""
    top = root(resources.values(), resources)
    stack = next((urn for urn, resource in resources.items() if resource.type == STACK), "")
    drafts: dict[str, _Draft] = {}
    owner: dict[str, str] = {}

    def add(component: Resource, room: Resource | None) -> None:
        inside = _boxes_inside(component, resources.values())
        if room is None and len(inside) >= ROOM_OF:
            for part in inside:
                add(part, component)
            loose(component.urn, component)
            return
        owner[component.urn] = component.urn
        named = title(component, room)
        drafts[component.urn] = _Draft(component.urn, named, _room(room))

    def loose(parent: str, room: Resource | None) -> None:
        for resource in resources.values():
            if resource.parent == parent and resource.is_thing:
                key = f"{parent} {resource.type}"
                drafts.setdefault(
                    key, _Draft(key, words(resource.type.rpartition(":")[2]), _room(room))
                )
                owner[resource.urn] = key

    for resource in resources.values():
        if resource.parent == (top or stack) and not resource.custom and resource.type != STACK:
            add(resource, None)
    loose(top or stack, None)
    return drafts, owner


def _boxes_inside(component: Resource, resources: Iterable[Resource]) -> list[Resource]:
    """Child components that are worth a box: neither IAM rights alone, nor several of one type."""
    every = list(resources)
    inside = [
        resource for resource in every if resource.parent == component.urn and not resource.custom
    ]
    types = Counter(child.type for child in inside)
    return [
        child
        for child in inside
        if types[child.type] == 1
        and any(not is_right(thing) for thing in every if thing.is_thing and _below(thing, child))
    ]


def _below(resource: Resource, component: Resource) -> bool:
    """True if the resource is inside the component. The URN has the types of all parents; names are
    compared for children only.
    """
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
    in_cluster = any(thing.type.startswith("kubernetes:") for thing in draft.things)
    side: Side = "cluster" if in_cluster else "aws"
    return Box(draft.key, draft.title, contents(draft.things, draft.title), side, draft.room)


def _edges(
    resources: Mapping[str, Resource], owner: Mapping[str, str], drafts: Mapping[str, _Draft]
) -> Iterable[tuple[str, str]]:
    for resource in resources.values():
        here = _owner(resource, owner, resources)
        provider = resource.provider.rpartition("::")[0]
        for urn in (*resource.dependencies, provider):
            needed = resources.get(urn)
            there = _owner(needed, owner, resources) if needed else None
            if here and there and here != there and {here, there} <= drafts.keys():
                yield there, here
