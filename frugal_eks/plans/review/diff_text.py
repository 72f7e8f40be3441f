"""Differences of one resource as lines of a diff."""

import base64
import binascii
import json
from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from frugal_eks.plans.json_values import elements, mapping, parsed
from frugal_eks.plans.previews import UNKNOWN
from frugal_eks.plans.previews.markdown import clipped, visible
from frugal_eks.plans.review import secrets
from frugal_eks.plans.review.differences import ABSENT, Difference

LINE = 240
"""Maximum characters of a line; reviewers see no more at once."""
LINES = 40
"""Maximum lines of one value."""
ALL_LINES = 120
"""Maximum lines of one resource."""
_CONTEXT = 2
_LONGEST, _MOST_LINES = 100_000, 2_000
"""Limits of a line-by-line comparison, in characters and lines: it takes quadratic time."""
LATER = "known after up"


def lines(differences: Sequence[Difference]) -> list[str]:
    """Diff lines, at most ALL_LINES; the last one says how many more there are."""
    return _cut(
        [line for difference in differences for line in _cut(_lines(difference), LINES)], ALL_LINES
    )


def _lines(difference: Difference) -> list[str]:
    path = visible(difference.path)
    old, new = _shown(difference.old), _shown(difference.new)
    if difference.old is ABSENT:
        return _marked("+", path, new)
    if difference.new is ABSENT:
        return _marked("-", path, old)
    if old == new:
        return [clipped(f"! {path}: {_first(old)} (differs, though it looks the same)", LINE)]
    if len(old) == len(new) == 1:
        return [*_marked("-", path, old), *_marked("+", path, new)]
    if max(len(old), len(new)) > _MOST_LINES:
        return [clipped(f"! {path}: {len(old):,} lines become {len(new):,}", LINE)]
    compared = list(unified_diff(old, new, lineterm="", n=_CONTEXT))[2:]
    return [
        clipped(f"  {path}:", LINE),
        *(clipped(line, LINE) for line in compared if not line.startswith("@@")),
    ]


def _marked(sign: str, path: str, shown: list[str]) -> list[str]:
    if len(shown) == 1:
        return [clipped(f"{sign} {path}: {shown[0]}", LINE)]
    return [clipped(f"{sign} {line}", LINE) for line in [f"{path}:", *(f"  {s}" for s in shown)]]


def _shown(value: Any) -> list[str]:
    """A value as visible lines."""
    if value == UNKNOWN:
        return [LATER]
    if isinstance(value, str):
        return [visible(line) for line in _text(value)]
    pretty = json.dumps(_with_unknowns_named(value), ensure_ascii=False, default=str)
    if len(pretty) > LINE // 2:
        pretty = json.dumps(_with_unknowns_named(value), indent=1, ensure_ascii=False, default=str)
    return [visible(line) for line in pretty.splitlines()]


def _text(text: str) -> list[str]:
    if len(text) > _LONGEST:
        return [json.dumps(text[:LINE], ensure_ascii=False), f"({len(text):,} characters)"]
    if text.startswith(("{", "[")) and (read := parsed(text)) is not None:
        return json.dumps(read, indent=1, ensure_ascii=False).splitlines()
    if (decoded := _decoded(text)) is not None:
        return secrets.in_text(decoded).splitlines()
    if "\n" in text:
        return text.splitlines()
    return [json.dumps(text, ensure_ascii=False)]


def _decoded(text: str) -> str | None:
    """Base64 text such as user data, decoded; None if it is not such text."""
    if len(text) < LINE // 4:
        return None
    try:
        decoded = base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return decoded if "\n" in decoded else None


def _with_unknowns_named(value: Any) -> Any:
    """The value with Pulumi's placeholder for unknown values replaced by LATER."""
    if value == UNKNOWN:
        return LATER
    if isinstance(value, dict):
        return {name: _with_unknowns_named(item) for name, item in mapping(value).items()}
    if isinstance(value, list):
        return [_with_unknowns_named(item) for item in elements(value)]
    return value


def _first(shown: Sequence[str]) -> str:
    return shown[0] if shown else ""


def _cut(all_lines: list[str], most: int) -> list[str]:
    if len(all_lines) <= most:
        return all_lines
    return [*all_lines[: most - 1], f"  … {len(all_lines) - most + 1:,} more lines"]
