"""EC2NodeClass: the image, disk, network and tags of the nodes that Karpenter launches."""

from components.karpenter.node_classes.config import CpuOptionsConfig, NodeClassConfig
from components.karpenter.node_classes.images import AmiSelectorTermConfig, Family
from components.karpenter.node_classes.instance_metadata import MetadataOptionsConfig
from components.karpenter.node_classes.kubelet import KubeletConfig
from components.karpenter.node_classes.network import (
    ConnectionTrackingConfig,
    NetworkInterfaceConfig,
)
from components.karpenter.node_classes.rights import ExtraRights, extra_rights, other_roles
from components.karpenter.node_classes.selectors import (
    CapacityReservationSelectorTermConfig,
    PlacementGroupSelectorConfig,
    SecurityGroupSelectorTermConfig,
    SubnetSelectorTermConfig,
)
from components.karpenter.node_classes.spec import node_class_spec
from components.karpenter.node_classes.tags import RESTRICTED_TAGS
from components.karpenter.node_classes.volumes import BlockDeviceConfig, EbsConfig, VolumeConfig

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
