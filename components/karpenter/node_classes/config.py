"""A node class as the stack file has it: every field of the API, and a few short forms."""

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
    """Enabled, only instance types that can do it are launched."""


class NodeClassConfig(ApiSection):
    """What all nodes of a class have in common. A change replaces the nodes one after the other,
    within the budgets of their pools; components/karpenter/drift.py says of which field."""

    ami_alias: str | None = None
    """The image, pinned: `al2023@v20260930` or `bottlerocket@v1.66.0`. Short for amiSelectorTerms
    with this alias."""
    ami_selector_terms: tuple[AmiSelectorTermConfig, ...] | None = Field(
        default=None, min_length=1, max_length=30
    )
    """The images by what they are found by, in place of amiAlias."""
    ami_family: Family | None = None
    """Absent: the alias's. Custom: the image's user data is all yours, and must have kubelet
    register the taint `karpenter.sh/unregistered:NoExecute`."""
    allow_latest: bool = False
    """Takes `@latest`, and parameters and names that follow it. Each image that AWS publishes then
    replaces every node, at a time that nobody here has chosen. The aliases of Windows need it."""
    subnet_selector_terms: tuple[SubnetSelectorTermConfig, ...] | None = Field(
        default=None, min_length=1, max_length=30
    )
    """Absent: by the discovery tag, which the stack's private subnets carry."""
    security_group_selector_terms: tuple[SecurityGroupSelectorTermConfig, ...] | None = Field(
        default=None, min_length=1, max_length=30
    )
    """Absent: by the discovery tag, which the cluster's one security group carries."""
    capacity_reservation_selector_terms: tuple[CapacityReservationSelectorTermConfig, ...] = Field(
        default=(), max_length=30
    )
    """Reserved capacity, for pools whose capacity types have `reserved`."""
    placement_group_selector: PlacementGroupSelectorConfig | None = None
    """The placement group in which all nodes of the class start."""
    role: str | None = None
    """Another role of the nodes, by its name, and without a path. Absent: the stack's own. The
    controller may pass it; its policies and its access entry in the cluster, of type EC2_LINUX (of
    Windows EC2_WINDOWS), are made by whoever made the role."""
    instance_profile: str | None = None
    """An instance profile that is there, by its name, instead of a role."""
    instance_profile_role: str | None = None
    """The role inside that profile, by its name and without a path, so that the controller may
    pass it. Absent: it is the stack's own. For its policies and access entry see `role`."""
    volume: VolumeConfig | None = None
    """The disk of pods and images, in short. Absent: 20Gi of gp3, of Windows 50Gi."""
    block_device_mappings: tuple[BlockDeviceConfig, ...] | None = Field(
        default=None, min_length=1, max_length=50
    )
    """All disks, in full, and with none of the family's own beside them."""
    instance_store_policy: Literal["RAID0"] | None = None
    """RAID0: pods and images lie on the instance's own disks, which count as the node's storage."""
    metadata_options: MetadataOptionsConfig = MetadataOptionsConfig()
    """Who reaches the instance metadata service."""
    kubelet: KubeletConfig = KubeletConfig()
    """Settings of kubelet; what is absent stays as the image has it."""
    user_data: str | None = None
    """For AL2023 a NodeConfig in YAML, a shell script or MIME; for AL2 a script or MIME; for
    Bottlerocket TOML; for Windows PowerShell. What Karpenter says itself wins."""
    tags: Mapping[str, str] = {}
    """On instances, volumes and network interfaces, spelled as given."""
    detailed_monitoring: bool = False
    """Metrics each minute, at about 2 USD a node and month."""
    associate_public_ip_address: bool | None = None
    """Absent: as the subnet has it."""
    ip_prefix_count: int | None = Field(default=None, ge=0)
    """IPv4 prefixes that an instance's interface starts with."""
    network_interfaces: tuple[NetworkInterfaceConfig, ...] = Field(default=(), max_length=150)
    """Absent: one interface."""
    connection_tracking: ConnectionTrackingConfig | None = None
    """After how many seconds an idle connection is forgotten."""
    cpu_options: CpuOptionsConfig | None = None
    """Options of the processor."""
    context: str | None = Field(default=None, min_length=1)
    """A field that EC2 reserves for itself."""

    @property
    def family(self) -> Family:
        """The family that counts, by the file or by the alias."""
        return family_of(self.images, self.ami_family)

    @property
    def images(self) -> tuple[AmiSelectorTermConfig, ...]:
        """The terms by which images are found, whichever way the file says them."""
        if self.ami_alias is not None:
            return (AmiSelectorTermConfig(alias=self.ami_alias),)
        return self.ami_selector_terms or ()

    def mistakes(self) -> Iterator[Mistake]:
        """What does not go together, and what changes without anybody's doing."""
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
