"""EFS CSI driver: volumes that many pods share, in every zone."""

from .component import EfsCsi, EfsCsiArgs, EfsCsiConfig

__all__ = ["EfsCsi", "EfsCsiArgs", "EfsCsiConfig"]
