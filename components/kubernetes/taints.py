"""Taints of a pool's nodes: which pods they keep away."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from ..section import Mistake, Section
from .labels import LabelKey, LabelValue


class TaintConfig(Section):
    """Keeps pods without the matching toleration away."""

    key: LabelKey
    """A toleration names it."""
    value: Annotated[LabelValue, Field(min_length=1)] | None = None
    """A toleration names it too, where it is there."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """Whether pods stay away, stay away if they can, or are also put off the node."""

    def taint(self) -> dict[str, str]:
        """The taint as the API takes it."""
        value = {"value": self.value} if self.value is not None else {}
        return {"key": self.key, "effect": self.effect} | value


def named_twice(
    taints: Sequence[TaintConfig], startup_taints: Sequence[TaintConfig]
) -> Iterator[Mistake]:
    """A node has one taint of a key and effect, whichever of both lists it is in. The API server
    takes a second one; the pool then never becomes ready."""
    seen: dict[tuple[str, str], str] = {}
    for name, each in (("taints", taints), ("startupTaints", startup_taints)):
        for index, taint in enumerate(each):
            path, mark = f"{name}[{index}]", (taint.key, taint.effect)
            if mark in seen:
                problem = f"{seen[mark]} has this key and effect too: drop one of them"
                yield Mistake(path, problem, ":".join(mark))
            seen.setdefault(mark, path)
