"""Reads YAML as kubectl and eksctl do, with the line of each key."""

import re
from collections.abc import Iterator
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Keys = tuple[str | int, ...]
Lines = dict[Keys, int]

MOST_VALUES = 100_000
"""Most values in a document. Aliases of aliases make millions of values from a few lines."""
_PREFIX = "tag:yaml.org,2002:"
_SCALARS = {_PREFIX + name for name in ("str", "int", "float", "bool", "null")}
_INT = re.compile(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|0|[1-9][0-9_]*)$")
_TRUE_OR_FALSE = re.compile(r"(true|True|TRUE|false|False|FALSE)$")
_FLOAT = re.compile(
    r"([-+]?([0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*|[0-9]+)([eE][-+]?[0-9]+)?"
    r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$"
)


class YamlError(Exception):
    """Text that is not YAML, or not valid in a manifest: the line, from 1, and the problem."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


class _Loader(yaml.SafeLoader):
    """A loader of YAML 1.1 without dates and base-60 numbers: `12:30` and `2026-11-01` are text, as
    in Go.
    """


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, expression)
        for tag, expression in resolvers
        if tag.removeprefix(_PREFIX) not in {"timestamp", "int", "float"}
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_PREFIX + "int", _INT, list("-+0123456789"))  # pyright: ignore[reportUnknownMemberType]
_Loader.add_implicit_resolver(_PREFIX + "float", _FLOAT, list("-+.0123456789"))  # pyright: ignore[reportUnknownMemberType]


class _PulumiLoader(_Loader):
    """A loader that reads `yes` and `on` as text, as Pulumi reads its stack files."""


_PulumiLoader.yaml_implicit_resolvers = {
    first: [each for each in resolvers if each[0] != _PREFIX + "bool"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}
_PulumiLoader.add_implicit_resolver(_PREFIX + "bool", _TRUE_OR_FALSE, list("tTfF"))  # pyright: ignore[reportUnknownMemberType]


def documents(text: str, *, of_pulumi: bool = False) -> Iterator[tuple[Any, Lines]]:
    """Each document as a plain value, with the line of each key or item; the key `()` is the
    document.

    Raises YamlError.
    """
    try:
        loader = (_PulumiLoader if of_pulumi else _Loader)(text)
        while loader.check_node():
            # The stubs of PyYAML leave the type open.
            node = cast(Node, loader.get_node())  # pyright: ignore[reportUnknownMemberType]
            plain = _Plain(loader)
            yield plain.value(node, ()), plain.lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(mark.line + 1 if mark else 1, f"{error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            line, f"has a character that YAML does not allow, {error.reason}"
        ) from error
    except RecursionError as error:
        raise YamlError(1, "is nested too deeply") from error


class _Plain:
    """Converts YAML nodes to plain values; a key may appear once in a mapping."""

    def __init__(self, loader: _Loader) -> None:
        self.lines: Lines = {}
        self._loader = loader
        self._open: set[int] = set()
        self._count = 0

    def value(self, node: Node, keys: Keys) -> Any:
        self._count += 1
        if self._count > MOST_VALUES:
            raise YamlError(_line(node), f"comes to more than {MOST_VALUES} values")
        self.lines.setdefault(keys, _line(node))
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            raise YamlError(_line(node), "an alias stands for what it is in")
        self._open.add(id(node))
        plain = self._list(node, keys) if isinstance(node, SequenceNode) else self._map(node, keys)
        self._open.remove(id(node))
        return plain

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag not in _SCALARS:
            raise YamlError(_line(node), f"a tag {node.tag} means nothing in a manifest")
        return cast(Any, self._loader.construct_object(node))  # pyright: ignore[reportUnknownMemberType]

    def _list(self, node: SequenceNode, keys: Keys) -> list[Any]:
        items = cast(list[Node], node.value)
        return [self.value(item, (*keys, number)) for number, item in enumerate(items)]

    def _map(self, node: Node, keys: Keys) -> dict[str, Any]:
        if not isinstance(node, MappingNode) or node.tag != _PREFIX + "map":
            raise YamlError(_line(node), f"a tag {node.tag} means nothing in a manifest")
        lines: dict[str, int] = {}
        for key, _ in cast(list[tuple[Node, Node]], node.value):
            name = self._key(key)
            if name in lines and name != "<<":
                raise YamlError(
                    _line(key), f"{name} stands here twice, first in line {lines[name]}"
                )
            lines[name] = _line(key)
        self._loader.flatten_mapping(node)
        plain: dict[str, Any] = {}
        for key, inner in cast(list[tuple[Node, Node]], node.value):
            name = self._key(key)
            self.lines[*keys, name] = _line(key)
            plain[name] = self.value(inner, (*keys, name))
        return plain

    def _key(self, node: Node) -> str:
        # As in JSON, keys are texts: a label `8080: x` is "8080".
        if isinstance(node, ScalarNode):
            return str(node.value)
        raise YamlError(_line(node), "a key must be a text")


def _line(node: Node) -> int:
    return node.start_mark.line + 1
