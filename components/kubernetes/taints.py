"""Taints of a node pool."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from ..section import Mistake, Section
from .labels import LabelKey, LabelValue


class TaintConfig(Section):
    """A taint: keeps pods without the matching toleration off the node."""

    key: LabelKey
    """Key of the taint, which a toleration must name."""
    value: Annotated[LabelValue, Field(min_length=1)] | None = None
    """Value of the taint, which a toleration must name too unless it is absent."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """NoSchedule keeps new pods away, PreferNoSchedule does so if possible, NoExecute also evicts
    running pods.
    """

    def taint(self) -> dict[str, str]:
        """The taint as the API takes it."""
        value = {"value": self.value} if self.value is not None else {}
        return {"key": self.key, "effect": self.effect} | value


def named_twice(
    taints: Sequence[TaintConfig], startup_taints: Sequence[TaintConfig]
) -> Iterator[Mistake]:
    """Mistakes of taints that share key and effect with an earlier one in either list. The API
    server accepts a second one, but the pool then never becomes ready.
    """
    seen: dict[tuple[str, str], str] = {}
    for name, each in (("taints", taints), ("startupTaints", startup_taints)):
        for index, taint in enumerate(each):
            path, mark = f"{name}[{index}]", (taint.key, taint.effect)
            if mark in seen:
                problem = f"{seen[mark]} has this key and effect too: drop one of them"
                yield Mistake(path, problem, ":".join(mark))
            seen.setdefault(mark, path)
