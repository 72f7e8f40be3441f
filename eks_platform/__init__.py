"""Wires the components into one platform."""

from eks_platform.platform import Platform, PlatformArgs

__all__ = ["Platform", "PlatformArgs"]
