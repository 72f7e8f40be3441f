"""The resources of a program, and how they hang together."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from frugal_eks.plans.previews import Resource, component
from frugal_eks.plans.previews.components import root

Inputs = Mapping[str, Any]


class Program:
    """Its resources, as they would be after one `up`."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.by_urn = {each.urn: each for each in resources}
        self.resources = tuple(self.by_urn.values())
        self._root = root(self.resources, self.by_urn)

    def component(self, resource: Resource) -> str:
        """The name of the part that it belongs to."""
        return component(resource, self.by_urn, self._root)

    def of_type(self, *types: str) -> Iterator[Resource]:
        """In the order of the program."""
        return (each for each in self.resources if each.type in types)

    def launch_template(self, group: Resource) -> Resource | None:
        """The template of a group of nodes: what it refers to is known only after `up`."""
        templates = list(self.of_type("aws:ec2/launchTemplate:LaunchTemplate"))
        known = {value for value in _texts(group.inputs) if value}
        for each in templates:
            if each.urn in group.dependencies or (each.id and each.id in known):
                return each
        siblings = [each for each in templates if each.parent and each.parent == group.parent]
        return siblings[0] if len(siblings) == 1 else None


def part(of: Inputs, *keys: str) -> Inputs:
    """A nested object; what is absent, or known only after `up`, is empty."""
    found: Any = of
    for key in keys:
        found = cast(Inputs, found).get(key) if isinstance(found, Mapping) else None
    return cast(Inputs, found) if isinstance(found, Mapping) else {}


def objects(of: Inputs, key: str) -> Sequence[Inputs]:
    """A nested list of objects, or the empty one."""
    found = of.get(key)
    items = cast(Sequence[Any], found) if isinstance(found, list | tuple) else ()
    return [cast(Inputs, each) for each in items if isinstance(each, Mapping)]


def texts(of: Inputs, key: str) -> Sequence[str]:
    """A nested list of texts, or the empty one."""
    found = of.get(key)
    items = cast(Sequence[Any], found) if isinstance(found, list | tuple) else ()
    return [each for each in items if isinstance(each, str)]


def number(of: Inputs, key: str) -> float | None:
    """A number, or a text that is one; None of all else."""
    found = of.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return None
    try:
        return float(found)
    except ValueError:
        return None


def parsed(text: Any) -> Inputs:
    """An object that is written as JSON; empty where it is none or not known yet."""
    try:
        found = json.loads(text) if isinstance(text, str) else text
    except json.JSONDecodeError:
        return {}
    return cast(Inputs, found) if isinstance(found, Mapping) else {}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast(Inputs, value).values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in cast(Sequence[Any], value):
            yield from _texts(each)
