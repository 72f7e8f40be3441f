"""A work host inside the VPC, for a Kubernetes API that the internet does not reach."""

from components.bastion.bastion import Bastion, BastionArgs
from components.bastion.config import BastionConfig

__all__ = ["Bastion", "BastionArgs", "BastionConfig"]
