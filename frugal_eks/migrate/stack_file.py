"""Writes a stack file with a comment on each line that has one."""

import io
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from frugal_eks.migrate.notes import Place
from stack_config.model import StackConfig
from stack_config.schema import HINT

PROJECT = "frugal-eks"
WIDTH = 100
WIDEST = 120
"""Maximum width of a line with its comment; longer comments go above the line."""
_STEP = 2
_ROOT = _STEP


class _Writer:
    """Builds the values with their comments in ruamel.yaml's types."""

    def __init__(self, comments: Mapping[Place, str]) -> None:
        self._comments = {place: on_one_line(text) for place, text in comments.items()}

    def sections(self, values: Mapping[str, Any]) -> CommentedMap:
        """Content of `config`."""
        order = [field.alias or name for name, field in StackConfig.model_fields.items()]
        known = sorted(values, key=lambda key: order.index(key) if key in order else len(order))
        return self._map({key: values[key] for key in known}, (), _ROOT)

    def _node(self, value: Any, place: Place, indent: int) -> Any:
        if isinstance(value, Mapping):
            return self._map(cast(Mapping[str, Any], value), place, indent)
        if isinstance(value, list | tuple):
            return self._list(cast(Sequence[Any], value), place, indent)
        return _scalar(value)

    def _map(self, values: Mapping[str, Any], place: Place, indent: int) -> CommentedMap:
        node: Any = CommentedMap()
        for key, value in values.items():
            here = (*place, key)
            name = key if place or ":" in key else f"{PROJECT}:{key}"
            column = indent + len(name) + 2
            node[_scalar(name)] = self._node(value, here, indent + _STEP)
            if self._fits(value, here, column):
                _flow(node[name])
            text = self._comments.get(here)
            if text:
                room = WIDEST - column - len(_one_line(value))
                _comment(node, name, text, indent=indent, room=self._room(node[name], room))
        return node

    def _list(self, values: Sequence[Any], place: Place, indent: int) -> CommentedSeq:
        node: Any = CommentedSeq()
        inner = indent + _STEP
        for number, value in enumerate(values):
            here = (*place, number)
            # A comment below an item would stand beside its dash.
            node.append(_Writer({})._node(value, here, inner))
            if len(_one_line(value)) + inner <= WIDTH:
                _flow(node[number])
            text = "; ".join(self._of_item(here))
            if text:
                room = self._room(node[number], WIDEST - inner - len(_one_line(value)))
                _comment(node, number, text, indent=indent, room=room)
        return node

    def _of_item(self, place: Place) -> Iterator[str]:
        for other, text in self._comments.items():
            if other[: len(place)] == place:
                way = ".".join(map(str, other[len(place) :]))
                yield f"{way}: {text}" if way else text

    def _fits(self, value: Any, place: Place, column: int) -> bool:
        """True if a mapping or list fits on the line of its key."""
        deepest = 1 if len(place) == 1 else 2
        below = (other for other in self._comments if other[: len(place)] == place)
        alone = all(other == place for other in below)
        return alone and _depth(value) <= deepest and column + len(_one_line(value)) <= WIDTH

    @staticmethod
    def _room(node: Any, room: int) -> int:
        is_block = isinstance(node, CommentedMap | CommentedSeq) and not _style(node).flow_style()
        many_lines = isinstance(node, LiteralScalarString)
        return 0 if is_block or many_lines else room


def text(values: Mapping[str, Any], comments: Mapping[Place, str], end: Sequence[str] = ()) -> str:
    """The whole file as in stacks/: schema hint for editors, sections in the model's order, and
    `end` as comments after them.
    """
    file = YAML()
    file.width = 1_000_000
    file.brace_single_entry_mapping_in_flow_sequence = True
    file.indent(mapping=_STEP, sequence=2 * _STEP, offset=_STEP)
    stream = io.StringIO()
    content = CommentedMap({"config": _Writer(comments).sections(values)})
    file.dump(content, stream)  # pyright: ignore[reportUnknownMemberType]
    comments_after = "".join(f"# {on_one_line(line)}".rstrip() + "\n" for line in end)
    return f"{HINT}\n{stream.getvalue()}{comments_after}"


def on_one_line(text: str) -> str:
    """The text on one line, without control characters: YAML allows none in a comment."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _comment(node: Any, key: Any, text: str, *, indent: int, room: int) -> None:
    if len(text) + len(" # ") <= room:
        node.yaml_add_eol_comment(text, key=key, column=0)
        return
    above = textwrap.fill(text, WIDTH - indent - len("# "), break_long_words=False)
    node.yaml_set_comment_before_after_key(key, before=above, indent=indent)


def _flow(node: Any) -> None:
    if not isinstance(node, CommentedMap | CommentedSeq):
        return
    _style(node).set_flow_style()
    inside: Any = node
    keys: Iterable[Any] = inside if isinstance(node, CommentedMap) else range(len(node))
    for key in keys:
        _flow(inside[key])


def _style(node: Any) -> Any:
    # Untyped in ruamel.yaml.
    return node.fa


def _depth(value: Any) -> int:
    """Nesting depth of mappings and lists."""
    if isinstance(value, Mapping):
        inner = list(cast(Mapping[str, Any], value).values())
    elif isinstance(value, list | tuple):
        inner = list(cast(Sequence[Any], value))
    else:
        return 0
    return 1 + max(map(_depth, inner), default=0)


def _one_line(value: Any) -> str:
    """Approximate form of a value on one line."""
    if isinstance(value, Mapping):
        items = cast(Mapping[str, Any], value).items()
        return "{" + ", ".join(f"{key}: {_one_line(inner)}" for key, inner in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_one_line, cast(Sequence[Any], value))) + "]"
    if isinstance(value, str) and isinstance(_scalar(value), LiteralScalarString):
        return "|" * WIDEST
    return f'"{value}"' if isinstance(_scalar(value), DoubleQuotedScalarString) else str(value)


def _scalar(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if "\n" in value and re.fullmatch(r"[!-~]([ -~]*\n)+", value) and value.strip():
        return LiteralScalarString(value)
    return value if _is_plain(value) else DoubleQuotedScalarString(value)


def _is_plain(value: str) -> bool:
    """True if the text needs no quotes, by YAML 1.1 and within braces too."""
    if not re.fullmatch(r"[\w./@+*-][ -~]*", value, re.ASCII) or re.search(r"[,\[\]{}]", value):
        return False
    dumped = yaml.safe_dump(value, width=1_000_000)
    return dumped.removesuffix("...\n").rstrip("\n") == value
