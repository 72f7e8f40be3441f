"""Which modules a module of the project imports, read from its source."""

import ast
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from tests.conftest import ROOT


def module_of(path: Path) -> str:
    """The name under which a file of the project is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path, nodes: Iterable[ast.AST] | None = None) -> Iterator[str]:
    """Full names of what a file imports, modules and names in them alike.

    `nodes` are the statements to look at; without them, every one of the file.
    """
    package = path.relative_to(ROOT).parts
    for node in ast.walk(ast.parse(path.read_text())) if nodes is None else nodes:
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: -node.level] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            yield from (f"{module}.{each.name}" for each in node.names)


def inside(name: str, modules: Collection[str]) -> str:
    """The module that an imported name is, or is in; empty if it is none of `modules`."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name
