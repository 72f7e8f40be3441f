"""Fits pieces of text into limited room, with a sentence about those left out."""

from collections.abc import Callable, Sequence

from frugal_eks.plans.previews.markdown import size


def fitting(pieces: Sequence[str], most: int, left_out: Callable[[int], str]) -> list[str]:
    """As many whole pieces as fit, each on its own lines; if not all fit, `left_out` describes the
    rest.
    `most` is in characters, line breaks between the pieces included.
    """
    if sum(size(piece) + 1 for piece in pieces) <= most:
        return list(pieces)
    most -= size(left_out(len(pieces))) + 1
    kept: list[str] = []
    for piece in pieces:
        most -= size(piece) + 1
        if most < 0:
            break
        kept.append(piece)
    return [*kept, left_out(len(pieces) - len(kept))]
