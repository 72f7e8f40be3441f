"""Templates of the table, in which "{name}" stands for a value of the resource."""

import re
from collections.abc import Callable
from typing import Any

from rehearsal.aws.provider.plain import is_list, is_object

ABSENT = object()
"""Result of a template that refers to an absent value."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z][\w.]*)(\??)\}")
_LEFT_OUT = object()
Lookup = Callable[[str], Any]


def fill(template: Any, lookup: Lookup) -> Any:
    """The template with its placeholders looked up; ABSENT if one of them is.

    A text that is one placeholder gives the value itself, with its type. An object in which
    something is absent is absent as a whole, unless it is a "{name?}" or a list: these it lacks.
    """
    filled = _fill(template, lookup)
    return ABSENT if filled is _LEFT_OUT else filled


def _fill(template: Any, lookup: Lookup) -> Any:
    if isinstance(template, str):
        if whole := _PLACEHOLDER.fullmatch(template):
            looked_up = lookup(whole[1])
            return _LEFT_OUT if looked_up is ABSENT and whole[2] else looked_up
        values = {name: lookup(name) for name, _ in _PLACEHOLDER.findall(template)}
        if ABSENT in values.values():
            return ABSENT
        return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)
    if is_object(template):
        filled = {key: _fill(value, lookup) for key, value in template.items()}
        filled = {key: value for key, value in filled.items() if value is not _LEFT_OUT}
        return ABSENT if ABSENT in filled.values() else filled
    if is_list(template):
        items = [_fill(item, lookup) for item in template]
        return [item for item in items if item is not ABSENT] or _LEFT_OUT
    return template


def placeholders(template: Any) -> set[str]:
    """Names in a template."""
    if isinstance(template, str):
        return {name for name, _ in _PLACEHOLDER.findall(template)}
    if is_object(template):
        return set[str]().union(*map(placeholders, template.values()))
    if is_list(template):
        return set[str]().union(*map(placeholders, template))
    return set()
