"""The stack file's settings of a node class: every field of the API, and a few short forms."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from ...section import Mistake
from .api_section import ApiSection
from .images import (
    AmiSelectorTermConfig,
    Family,
    family_of,
    image_mistakes,
)
from .instance_metadata import MetadataOptionsConfig, Switch
from .kubelet import KubeletConfig
from .network import (
    ConnectionTrackingConfig,
    NetworkInterfaceConfig,
    interface_mistakes,
)
from .selectors import (
    CapacityReservationSelectorTermConfig,
    PlacementGroupSelectorConfig,
    SecurityGroupSelectorTermConfig,
    SubnetSelectorTermConfig,
)
from .tags import tag_mistakes
from .user_data import user_data_mistakes
from .volumes import (
    BlockDeviceConfig,
    VolumeConfig,
    disk_mistakes,
)

# IAM's characters of a name, without the path that stands before it in an ARN.
_NAME = r"[\w+=,.@-]"


class CpuOptionsConfig(ApiSection):
    """Options of the processor."""

    nested_virtualization: Switch
    """If enabled, only instance types that support nested virtualization are launched."""


class NodeClassConfig(ApiSection):
    """Settings that all nodes of a class share. A change replaces the nodes one after the other,
    within the budgets of their pools; components/karpenter/drift.py says which fields do so.
    """

    ami_alias: str | None = None
    """The image, pinned: `al2023@v20260930` or `bottlerocket@v1.66.0`. Short for amiSelectorTerms
    with this alias.
    """
    ami_selector_terms: tuple[AmiSelectorTermConfig, ...] | None = Field(
        default=None, min_length=1, max_length=30
    )
    """How images are found, instead of amiAlias."""
    ami_family: Family | None = None
    """AMI family; absent: amiAlias's. With Custom you supply all user data, which must have kubelet
    register the taint `karpenter.sh/unregistered:NoExecute`.
    """
    allow_latest: bool = False
    """If true, `@latest` is allowed, and parameters and names that follow the newest image. Each
    image that AWS publishes then replaces every node, at a time that you do not choose. Windows
    aliases need it.
    """
    subnet_selector_terms: tuple[SubnetSelectorTermConfig, ...] | None = Field(
        default=None, min_length=1, max_length=30
    )
    """How subnets are found. Absent: by the discovery tag, which the stack's private subnets
    carry.
    """
    security_group_selector_terms: tuple[SecurityGroupSelectorTermConfig, ...] | None = Field(
        default=None, min_length=1, max_length=30
    )
    """How security groups are found. Absent: by the discovery tag, which one security group of the
    cluster carries.
    """
    capacity_reservation_selector_terms: tuple[CapacityReservationSelectorTermConfig, ...] = Field(
        default=(), max_length=30
    )
    """How reserved capacity is found, for pools whose capacity types include `reserved`."""
    placement_group_selector: PlacementGroupSelectorConfig | None = None
    """The placement group in which all nodes of the class start."""
    role: str | None = None
    """Name, without a path, of another role for the nodes. Absent: the stack's own role. The stack
    lets the controller pass this role; its policies and its access entry in the cluster, of type
    EC2_LINUX (EC2_WINDOWS for Windows), are up to whoever made the role.
    """
    instance_profile: str | None = None
    """Name of an existing instance profile, instead of a role."""
    instance_profile_role: str | None = None
    """Name, without a path, of the role inside instanceProfile, so that the controller may pass it.
    Absent: the stack's own role. For its policies and access entry see `role`.
    """
    volume: VolumeConfig | None = None
    """Short form for the disk that holds pods and images. Absent: gp3 of 20Gi, for Windows 50Gi."""
    block_device_mappings: tuple[BlockDeviceConfig, ...] | None = Field(
        default=None, min_length=1, max_length=50
    )
    """All disks in full; the family's own disks are not added."""
    instance_store_policy: Literal["RAID0"] | None = None
    """RAID0: pods and images are stored on the instance's local disks, which count as the node's
    storage.
    """
    metadata_options: MetadataOptionsConfig = MetadataOptionsConfig()
    """Access to the instance metadata service."""
    kubelet: KubeletConfig = KubeletConfig()
    """Settings of kubelet; absent ones keep the image's value."""
    user_data: str | None = None
    """User data of the instances. For AL2023 a NodeConfig in YAML, a shell script or MIME; for AL2
    a script or MIME; for Bottlerocket TOML; for Windows PowerShell. Karpenter's own settings take
    precedence.
    """
    tags: Mapping[str, str] = {}
    """Tags of instances, volumes and network interfaces, spelled as given."""
    detailed_monitoring: bool = False
    """If true, CloudWatch gets metrics each minute, at about 2 USD per node and month."""
    associate_public_ip_address: bool | None = None
    """Whether instances get a public address. Absent: as the subnet is set."""
    ip_prefix_count: int | None = Field(default=None, ge=0)
    """Number of IPv4 prefixes that an instance's interface starts with."""
    network_interfaces: tuple[NetworkInterfaceConfig, ...] = Field(default=(), max_length=150)
    """Network interfaces that an instance starts with. Absent: one."""
    connection_tracking: ConnectionTrackingConfig | None = None
    """Seconds after which idle connections are forgotten."""
    cpu_options: CpuOptionsConfig | None = None
    """Options of the processor."""
    context: str | None = Field(default=None, min_length=1)
    """A field that EC2 reserves for itself."""

    @property
    def family(self) -> Family:
        """AMI family of the class, from amiFamily or from the alias."""
        return family_of(self.images, self.ami_family)

    @property
    def images(self) -> tuple[AmiSelectorTermConfig, ...]:
        """Terms by which images are found, from amiAlias or from amiSelectorTerms."""
        if self.ami_alias is not None:
            return (AmiSelectorTermConfig(alias=self.ami_alias),)
        return self.ami_selector_terms or ()

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses settings that exclude each other, and values that change by themselves."""
        yield from image_mistakes(
            self.ami_alias,
            self.ami_selector_terms,
            self.ami_family,
            allow_latest=self.allow_latest,
        )
        yield from disk_mistakes(self.family, self.volume, self.block_device_mappings)
        yield from self._role_mistakes()
        yield from interface_mistakes(self.network_interfaces)
        yield from user_data_mistakes(self.user_data, self.family)
        yield from tag_mistakes(self.tags)

    def _role_mistakes(self) -> Iterator[Mistake]:
        names = (
            ("role", self.role, 64),
            ("instanceProfile", self.instance_profile, 128),
            ("instanceProfileRole", self.instance_profile_role, 64),
        )
        for path, name, longest in names:
            if name is not None and not re.fullmatch(f"{_NAME}{{1,{longest}}}", name, re.ASCII):
                problem = "is no bare name: write it without ARN and path, which Karpenter would "
                problem += f"take for a change at every look, in at most {longest} characters"
                yield Mistake(path, problem, name)
        if self.role is not None and self.instance_profile is not None:
            yield Mistake("role", "instanceProfile brings a role too: drop one", self.role)
        if self.instance_profile_role is not None and self.instance_profile is None:
            problem = "goes with instanceProfile: add that, or write role"
            yield Mistake("instanceProfileRole", problem, self.instance_profile_role)
