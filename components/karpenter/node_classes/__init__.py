"""EC2NodeClass: the image, disk, network and tags of the nodes that Karpenter launches."""

from .config import CpuOptionsConfig, NodeClassConfig
from .images import AmiSelectorTermConfig, Family
from .instance_metadata import MetadataOptionsConfig
from .kubelet import KubeletConfig
from .network import (
    ConnectionTrackingConfig,
    NetworkInterfaceConfig,
)
from .rights import ExtraRights, extra_rights, other_roles
from .selectors import (
    CapacityReservationSelectorTermConfig,
    PlacementGroupSelectorConfig,
    SecurityGroupSelectorTermConfig,
    SubnetSelectorTermConfig,
)
from .spec import node_class_spec
from .tags import RESTRICTED_TAGS
from .volumes import BlockDeviceConfig, EbsConfig, VolumeConfig

__all__ = [
    "RESTRICTED_TAGS",
    "AmiSelectorTermConfig",
    "BlockDeviceConfig",
    "CapacityReservationSelectorTermConfig",
    "ConnectionTrackingConfig",
    "CpuOptionsConfig",
    "EbsConfig",
    "ExtraRights",
    "Family",
    "KubeletConfig",
    "MetadataOptionsConfig",
    "NetworkInterfaceConfig",
    "NodeClassConfig",
    "PlacementGroupSelectorConfig",
    "SecurityGroupSelectorTermConfig",
    "SubnetSelectorTermConfig",
    "VolumeConfig",
    "extra_rights",
    "node_class_spec",
    "other_roles",
]
