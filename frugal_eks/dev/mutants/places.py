"""Where the program is broken: the changes that poodle knows, less those that change nothing."""

# pyright: reportMissingTypeStubs=false

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from poodle.data_types import Mutant, PoodleWork
from poodle.mutate import create_mutants_for_file
from poodle.util import mutate_lines


def sample(work: PoodleWork, paths: Iterable[Path], seed: str, number: int) -> list[Mutant]:
    """At most `number` changes, one a place; none among the version pins.

    A hash of the seed, the file, the code there and what replaces it draws them: two revisions
    have the same sample, but for the places whose code differs.
    """
    ranked: dict[str, Mutant] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    for path in (file for folder in paths for file in sorted(folder.rglob("*.py"))):
        for mutant in () if path.name == "versions.py" else _changes(work, path):
            key = (str(path), before(mutant), mutant.mutator_name, mutant.text)
            seen[key] += 1
            ranked[sha256(repr((seed, *key, seen[key])).encode()).hexdigest()] = mutant
    drawn: dict[object, Mutant] = {}
    for _, mutant in sorted(ranked.items()):
        drawn.setdefault((mutant.source_file, _span(mutant)), mutant)
    return list(drawn.values())[:number]


def before(mutant: Mutant) -> str:
    """The code that a change replaces."""
    lines = Path(str(mutant.source_file)).read_text(encoding="utf-8").splitlines()
    chosen = lines[mutant.lineno - 1 : mutant.end_lineno]
    chosen[-1] = chosen[-1][: mutant.end_col_offset]
    return "\n".join([chosen[0][mutant.col_offset :], *chosen[1:]])


def _span(node: Mutant | ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset), end


def _changes(work: PoodleWork, path: Path) -> Iterator[Mutant]:
    source = path.read_text(encoding="utf-8")
    silent = [_span(node) for node in _silent(ast.parse(source))]
    for mutant in create_mutants_for_file(work, Path(), path):
        start, end = _span(mutant)
        if any(first <= start and end <= last for first, last in silent):
            continue
        try:
            ast.parse("".join(mutate_lines(mutant, source.splitlines(keepends=True))))
        except SyntaxError:  # Poodle counts characters, Python bytes: a "≤" moves the rest.
            continue
        yield mutant


def _silent(tree: ast.Module) -> Iterator[ast.expr]:
    """Types, flags of dataclasses, texts of the log; poodle leaves out docstrings by itself."""
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign(annotation=kind) | ast.arg(annotation=ast.expr() as kind):
                yield kind
            case ast.FunctionDef(returns=ast.expr() as kind):
                yield kind
            case ast.Assign(targets=[ast.Name(id="__all__")], value=names):
                yield names
            case (
                ast.ClassDef(decorator_list=several)
                | ast.Call(func=ast.Attribute(value=ast.Attribute(attr="log")), args=several)
                | ast.Call(func=ast.Name(id="cast" | "TypeVar"), args=[*several])
            ):
                yield from several[:1] if isinstance(node, ast.Call) else several
            case _:
                pass
