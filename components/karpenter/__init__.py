"""Karpenter on a cluster that exists: `from components.karpenter import Karpenter`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from components.karpenter.karpenter import Karpenter, KarpenterArgs, KarpenterConfig

__all__ = ["Karpenter", "KarpenterArgs", "KarpenterConfig"]


def __getattr__(name: str) -> Any:
    # The cost of a pool is reckoned from its requirements, in places without Pulumi's providers
    # too, such as a policy pack.
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from components.karpenter import karpenter  # noqa: PLC0415 (see above)

    return getattr(karpenter, name)
