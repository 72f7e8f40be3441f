"""Whether two records of a resource's inputs agree, as far as the first one knows its values."""

from typing import Any

from pulumi.runtime.rpc import UNKNOWN


def agrees(known: Any, other: Any, *, more: bool = False) -> bool:
    """Whether `other` is what is known; with `more` it may have keys beside the known ones."""
    if known == UNKNOWN:
        return True
    if isinstance(known, dict) and isinstance(other, dict):
        names = known.keys() if more else known.keys() | other.keys()
        return all(agrees(known.get(name), other.get(name), more=more) for name in names)
    if isinstance(known, list) and isinstance(other, list):
        pairs = zip(known, other, strict=False)
        return len(known) == len(other) and all(agrees(*pair, more=more) for pair in pairs)
    return known == other
