"""The one place that wires components."""

from eks_platform.platform import Platform, PlatformArgs

__all__ = ["Platform", "PlatformArgs"]
