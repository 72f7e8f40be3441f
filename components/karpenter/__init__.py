"""Karpenter on a cluster that exists: `from components.karpenter import Karpenter`."""

from components.karpenter.karpenter import Karpenter, KarpenterArgs, KarpenterConfig

__all__ = ["Karpenter", "KarpenterArgs", "KarpenterConfig"]
