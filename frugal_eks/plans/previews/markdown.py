"""Puts foreign text into GitHub's Markdown so that it stays text.

A preview may be of any program: names and values can hold Markdown, HTML, mentions, or signs that
turn a line round. In code GitHub links no mention and renders nothing; there they all go.
"""

import html
import re
from collections.abc import Iterable, Sequence

NAME = 100
"""Characters of a name or value within a sentence."""
_BACKTICKS = re.compile("`+")
_SIGNS = re.compile(r"[&<>\\`*_\[\]|~$#@]")
_LINKED = re.compile(r"&#(?:35|64);|(?i:https?:|ftp:|www\.)")


def size(text: str) -> int:
    """As GitHub may count at most: a sign beyond the first 65,536 of Unicode is two."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def visible(text: str) -> str:
    """One line in which each sign is seen: line breaks and directions of writing are spelt out."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _spelt(letter) for letter in text)


def clipped(text: str, most: int) -> str:
    """At most so many characters, and how many more there are."""
    if size(text) <= most:
        return text
    # Each may count twice.
    kept = text[: most // 2] if size(text[:most]) > most else text[:most]
    return f"{kept}… ({len(text) - len(kept)} more characters)"


def code(text: str, most: int = NAME) -> str:
    """A code span within a sentence."""
    shown = clipped(visible(text), most) or '""'
    fence = "`" * _fence(shown, least=1)
    around = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{around}{shown}{around}{fence}"


def prose(text: str) -> str:
    """Text within a sentence or a table: no sign of it means anything, and nothing is linked."""
    escaped = _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", visible(" ".join(text.split())))
    # GitHub links mentions, issues and addresses after it has read the Markdown.
    return _LINKED.sub(lambda found: f"{found[0]}&#8203;", escaped)


def codes(texts: Iterable[str], most: int = 8) -> str:
    """Several, and how many more there are."""
    found = list(texts)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(code(text) for text in found[:most]) + more


def block(lines: Sequence[str], language: str = "") -> str:
    """A fenced block of lines that are visible already."""
    text = "\n".join(lines)
    fence = "`" * _fence(text, least=3)
    return f"{fence}{language}\n{text}\n{fence}"


def in_html(text: str) -> str:
    """Code within HTML."""
    return f"<code>{html.escape(clipped(visible(text), NAME))}</code>"


def folded(summary: str, inside: str) -> str:
    """Folded away; `summary` is HTML, `inside` Markdown."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def counted(number: int, noun: str) -> str:
    """`1 resource`, `2 resources`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _fence(text: str, least: int) -> int:
    return max([least, *(len(run) + 1 for run in _BACKTICKS.findall(text))])


def _spelt(letter: str) -> str:
    if letter == "\n":
        return "\\n"
    return f"\\u{ord(letter):04x}"
