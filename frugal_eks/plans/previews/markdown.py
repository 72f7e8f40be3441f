"""Puts foreign text into GitHub's Markdown so that it stays text.

A preview may come from any program: names and values can hold Markdown, HTML, mentions, or
characters that reverse the writing direction. Inside a code span GitHub links no mention and
renders nothing, so such text goes there.
"""

import html
import re
from collections.abc import Iterable, Sequence

NAME = 100
"""Maximum characters of a name or value within a sentence."""
_BACKTICKS = re.compile("`+")
_SIGNS = re.compile(r"[&<>\\`*_\[\]|~$#@]")
_LINKED = re.compile(r"&#(?:35|64);|(?i:https?:|ftp:|www\.)")


def size(text: str) -> int:
    """Length of a text at GitHub's largest count: a character above U+FFFF counts as two."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def visible(text: str) -> str:
    """The text on one line; line breaks and other unprintable characters are spelled out."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _spelt(letter) for letter in text)


def clipped(text: str, most: int) -> str:
    """The text cut to `most` characters, followed by the number of characters cut off."""
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
    """Escaped text within a sentence or a table, without links."""
    escaped = _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", visible(" ".join(text.split())))
    # GitHub links mentions, issues and addresses after it has read the Markdown.
    return _LINKED.sub(lambda link: f"{link[0]}&#8203;", escaped)


def codes(texts: Iterable[str], most: int = 8) -> str:
    """Code spans for up to `most` texts, and the number of further ones."""
    listed = list(texts)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(code(text) for text in listed[:most]) + more


def block(lines: Sequence[str], language: str = "") -> str:
    """A fenced block; the lines must be visible() already."""
    text = "\n".join(lines)
    fence = "`" * _fence(text, least=3)
    return f"{fence}{language}\n{text}\n{fence}"


def in_html(text: str) -> str:
    """A code element within HTML."""
    return f"<code>{html.escape(clipped(visible(text), NAME))}</code>"


def folded(summary: str, inside: str) -> str:
    """A folded section; `summary` is HTML, `inside` Markdown."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 resource`, `2 resources`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _fence(text: str, least: int) -> int:
    return max([least, *(len(run) + 1 for run in _BACKTICKS.findall(text))])


def _spelt(letter: str) -> str:
    if letter == "\n":
        return "\\n"
    return f"\\u{ord(letter):04x}"
