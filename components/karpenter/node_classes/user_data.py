"""User data of instances, beside Karpenter's own."""

import tomllib
from collections.abc import Iterator

from ...section import Mistake
from .images import Family
from .tags import has_moment

_LARGEST = 16384
"""Bytes that EC2 accepts (EC2 user guide, instance user data); Karpenter's own part is added to
them.
"""


def user_data_mistakes(text: str | None, family: Family) -> Iterator[Mistake]:
    """Mistakes that EC2 or the image would refuse, or text that changes from run to run."""
    if text is None:
        return
    if not text.strip():
        yield Mistake("userData", "is empty: fill it, or drop it")
        return
    size = len(text.encode())
    if size > _LARGEST:
        problem = f"has {size:,} bytes and EC2 takes {_LARGEST:,}: load the rest at the start"
        yield Mistake("userData", problem)
    if has_moment(text):
        problem = "holds a time stamp, which would replace every node at each run: drop it"
        yield Mistake("userData", problem)
    if family == "Bottlerocket" and (error := _toml_error(text)):
        yield Mistake("userData", f"Bottlerocket reads TOML, and this is none ({error}): mend it")


def _toml_error(text: str) -> str | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    return None
