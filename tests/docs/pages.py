"""The pages, and what of them can be run or loaded: blocks, and commands inside a sentence."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.conftest import ROOT

FENCE = re.compile(r"^( *)(```+)(.*)$")
MARKER = re.compile(r"<!-- ([a-z][a-z0-9-]*) -->")
KEPT = re.compile(r"<!-- .*\bkept true by (tests/\S+\.py) -->")
"""Begins a part of a page that a test compares as a whole; the next line below ends it."""
KEPT_END = "<!-- its end -->"
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
SPLIT = {"&&", "||", "|", ";"}


class Block(NamedTuple):
    """What stands between two fences."""

    page: str
    line: int
    kind: str
    """`sh`, `yaml` …; empty: none is said."""
    marker: str
    """Of the comment `<!-- marker -->` above it, by which a test finds it; may be empty."""
    text: str
    kept_by: str = ""
    """The test that compares the part of the page in which it stands; may be empty."""

    @property
    def place(self) -> tuple[str, str]:
        """The page and the block's first line, which name it in a table."""
        return self.page, self.text.partition("\n")[0]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


class Command(NamedTuple):
    """One command of a page."""

    where: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.where} {' '.join(self.words)}"


@cache
def pages() -> dict[str, str]:
    """Every page for users, by its path below the root."""
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")]
    return {str(file.relative_to(ROOT)): file.read_text() for file in sorted(files)}


def blocks() -> list[Block]:
    """In the order of the pages."""
    return [block for page, text in pages().items() for block in of_page(page, text)]


def of_page(page: str, text: str) -> Iterator[Block]:
    """The blocks of one page. Raises AssertionError for one that does not end."""
    opened: tuple[int, str, str, str] | None = None
    inside: list[str] = []
    above = kept_by = ""
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if opened and fence and fence[2].startswith(opened[1]) and not fence[3].strip():
            yield Block(page, opened[0], opened[2], opened[3], "\n".join(inside), kept_by)
            opened, above = None, ""
        elif opened:
            inside.append(line)
        elif fence:
            marker = MARKER.fullmatch(above.strip())
            opened = (number, fence[2], fence[3].strip(), marker[1] if marker else "")
            inside = []
        elif line.strip():
            above = line
            start = KEPT.fullmatch(line)
            kept_by = start[1] if start else "" if line == KEPT_END else kept_by
    assert not opened, f"{page}:{opened[0] if opened else 0}: the block does not end"


def prose(text: str) -> str:
    """The page without its blocks."""
    return re.sub(r"^( *)(```+).*?^\1\2 *$", "", text, flags=re.DOTALL | re.MULTILINE)


def in_block(block: Block) -> Iterator[Command]:
    """The commands of a shell block, one by one, without what only joins them."""
    joined = re.sub(r"\\\n\s*", " ", block.text)
    for line in joined.splitlines():
        yield from commands(str(block), line)


def inline() -> Iterator[Command]:
    """What looks like a command inside a sentence or a table."""
    for page, text in pages().items():
        unfolded = re.sub(r"\n(?=\S)", " ", prose(text))
        for found in INLINE.finditer(unfolded.replace("\\|", "|")):
            if " " in found[1]:
                yield from commands(page, found[1])


def commands(where: str, line: str) -> Iterator[Command]:
    """The simple commands of one line; `$(…)` is what it calls, `A=b` before one is left out."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words = list(lexer)
    except ValueError:  # a quotation mark in a sentence
        return
    simple: list[str] = []
    for word in [*words, ";"]:
        if word in SPLIT:
            yield from _command(where, simple)
            simple = []
        else:
            simple.append(word)


def _command(where: str, words: list[str]) -> Iterator[Command]:
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    if words and words[0].startswith("$("):
        words = [words[0].removeprefix("$("), *words[1:-1], words[-1].removesuffix(")")]
    if words:
        yield Command(where, tuple(words))
