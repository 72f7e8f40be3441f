"""Docstrings of classes and of each of their fields, read from the source.

Python keeps no docstring of a field, and pydantic's `use_attribute_docstrings` would read the
source of every section whenever the program starts: this way only commands that show them pay for
it.
"""

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Field(NamedTuple):
    """An annotated name of a class, as its source has it."""

    annotation: str
    default: str
    """Default value as source text; empty if there is none."""
    docstring: str
    """Docstring on one line; empty if there is none."""


_Fields = Mapping[str, Field]


def fields(cls: type) -> _Fields:
    """Annotated names of a class, those of its bases first; a docstring is inherited."""
    inherited: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        for name, field in _of_module(base.__module__).get(base.__qualname__, {}).items():
            before = inherited.get(name)
            docstring = field.docstring or (before.docstring if before else "")
            inherited[name] = field._replace(docstring=docstring)
    return inherited


def field_docstrings(cls: type) -> Mapping[str, str]:
    """Docstring below each annotated name of a class."""
    return {name: field.docstring for name, field in fields(cls).items()}


def paragraph(docstring: str | None) -> str:
    """A docstring as text, with each paragraph on one line."""
    blocks = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(block.split()) for block in blocks)


@lru_cache
def _of_module(name: str) -> Mapping[str, _Fields]:
    """Fields of each class at the top of a module."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not file or not file.endswith(".py"):
        return {}
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return {node.name: _of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> _Fields:
    fields_of_class: dict[str, Field] = {}
    for field, text in zip(node.body, [*node.body[1:], None], strict=True):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        docstring = ""
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            docstring = paragraph(str(text.value.value))
        default = ast.unparse(field.value) if field.value else ""
        fields_of_class[field.target.id] = Field(ast.unparse(field.annotation), default, docstring)
    return fields_of_class
