"""A work host inside the VPC, for a Kubernetes API that the internet does not reach."""

from .bastion import Bastion, BastionArgs
from .config import BastionConfig

__all__ = ["Bastion", "BastionArgs", "BastionConfig"]
