"""The one place that wires components."""

from components.platform.platform import Platform, PlatformArgs

__all__ = ["Platform", "PlatformArgs"]
