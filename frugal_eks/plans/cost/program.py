"""Resources of a program, and the relations among them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from frugal_eks.plans.json_values import mapping
from frugal_eks.plans.previews import Resource, component
from frugal_eks.plans.previews.components import root

Inputs = Mapping[str, Any]


class Program:
    """Resources of a program, as they would be after `up`."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.by_urn = {each.urn: each for each in resources}
        self.resources = tuple(self.by_urn.values())
        self._root = root(self.resources, self.by_urn)

    def component(self, resource: Resource) -> str:
        """Name of the component that the resource belongs to."""
        return component(resource, self.by_urn, self._root)

    def of_type(self, *types: str) -> Iterator[Resource]:
        """Resources of these types, in the order of the program."""
        return (each for each in self.resources if each.type in types)

    def launch_template(self, group: Resource) -> Resource | None:
        """Launch template of a group, matched by dependency or id, else the only one among its
        siblings: the id is known only after `up`.
        """
        templates = list(self.of_type("aws:ec2/launchTemplate:LaunchTemplate"))
        known = {value for value in _texts(group.inputs) if value}
        for each in templates:
            if each.urn in group.dependencies or (each.id and each.id in known):
                return each
        siblings = [each for each in templates if each.parent and each.parent == group.parent]
        return siblings[0] if len(siblings) == 1 else None


def part(of: Inputs, *keys: str) -> Inputs:
    """A nested object; empty if it is absent, or known only after `up`."""
    value: Any = of
    for key in keys:
        value = mapping(value).get(key)
    return mapping(value)


def objects(of: Inputs, key: str) -> Sequence[Inputs]:
    """Objects of a nested list; empty if there is none."""
    value = of.get(key)
    items = cast(Sequence[Any], value) if isinstance(value, list | tuple) else ()
    return [cast(Inputs, each) for each in items if isinstance(each, Mapping)]


def texts(of: Inputs, key: str) -> Sequence[str]:
    """Strings of a nested list; empty if there is none."""
    value = of.get(key)
    items = cast(Sequence[Any], value) if isinstance(value, list | tuple) else ()
    return [each for each in items if isinstance(each, str)]


def number(of: Inputs, key: str) -> float | None:
    """A number, also if written as text; None otherwise."""
    value = of.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast(Inputs, value).values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in cast(Sequence[Any], value):
            yield from _texts(each)
