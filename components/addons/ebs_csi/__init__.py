"""EBS CSI driver: volumes of one pod each, as an add-on that EKS keeps."""

from .component import EbsCsi, EbsCsiArgs, EbsCsiConfig, configuration

__all__ = ["EbsCsi", "EbsCsiArgs", "EbsCsiConfig", "configuration"]
