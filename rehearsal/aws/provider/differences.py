"""Diff: what an update would change, and which changes need a new resource."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rehearsal.aws.provider import values
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    UNREAD,
    Property,
    ResourceType,
    Values,
)


@dataclass
class Difference:
    """The difference between a resource and its program."""

    paths: dict[str, tuple[str, bool]] = field(default_factory=dict[str, tuple[str, bool]])
    """Property path to kind (add, update or delete), and whether it requires a replacement."""

    @property
    def changed(self) -> set[str]:
        """Names of the changed properties."""
        return {_top(path) for path in self.paths}

    @property
    def replaces(self) -> set[str]:
        """Names of the properties that require a replacement."""
        return {_top(path) for path, (_, replaces) in self.paths.items() if replaces}


def between(
    kind: ResourceType,
    *,
    old_inputs: Values,
    state: Values,
    news: Values,
    ignored: Sequence[str] = (),
) -> Difference:
    """Compares the program's inputs with the previous ones and with AWS's description."""
    difference = Difference()
    for name, prop in kind.properties.items():
        old, actual, new = old_inputs.get(name), state.get(name), news.get(name)
        if prop.defaults_inside:
            # What an earlier program left away meant the default, too.
            old = values.filled_inside(old, prop)
        if not _differs(old, actual, new, kind, name):
            continue
        before = old if old != new else actual
        replaces = REPLACES in prop or bool(prop.replaces_if and prop.replaces_if(news))
        if prop.replaces_when:
            replaces = replaces or prop.replaces_when(before, new)
        for path, change in values.changed_paths(before, new, name):
            if not any(
                path == item or path.startswith((f"{item}.", f"{item}[")) for item in ignored
            ):
                difference.paths[path] = (change, replaces)
    return difference


def _differs(old: Any, actual: Any, new: Any, kind: ResourceType, name: str) -> bool:
    prop = kind.properties[name]
    if new is None:
        if COMPUTED in prop:
            return False
        return not values.is_empty(old if UNREAD in prop else actual)
    if values.is_unknown(new):
        return True
    said_otherwise = old is not None and not _alike(old, new, prop)
    if UNREAD in prop or actual is None:
        # Only the program's own words can be compared.
        return said_otherwise or (old is None and not values.is_empty(new))
    return said_otherwise or not values.same(new, actual, prop)


def _alike(old: Any, new: Any, prop: Property) -> bool:
    # Both ways: a key that is gone is a difference, too.
    return values.same(old, new, prop) and values.same(new, old, prop)


def delete_first(kind: ResourceType, news: Values, defaults: Sequence[str]) -> bool:
    """True if the old resource must be deleted first: a fixed name cannot exist twice."""
    named = [name for name, prop in kind.properties.items() if prop.autoname]
    return kind.delete_first or any(name not in defaults and news.get(name) for name in named)


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
