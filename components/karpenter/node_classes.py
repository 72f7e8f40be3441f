"""EC2NodeClass: the image, disk, network and tags of the nodes that Karpenter launches."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import pulumi
from pydantic import Field

from components.karpenter.quantities import VolumeSize
from components.network.tags import DISCOVERY_TAG
from components.section import Mistake, Section

RESTRICTED_TAGS = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
"""Karpenter's own; beside them everything below `kubernetes.io/cluster`."""

_TIME_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|^1\d{9}(\d{3})?$")
"""ISO 8601 with a time of day, or seconds or milliseconds since 1970."""

# The place of the volume that holds pods and images: Bottlerocket keeps its own system apart.
_DATA_DEVICE = {"al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}


class VolumeConfig(Section):
    """The disk of a node, always encrypted and deleted with it."""

    size: VolumeSize = "20Gi"
    type: Literal["gp3", "io1", "io2"] = "gp3"
    iops: int | None = Field(default=None, ge=3000, le=64000)
    throughput: int | None = Field(default=None, ge=125, le=1000)
    """MiB a second, gp3 only."""
    kms_key_id: str | None = None
    """Absent: the account's own key for EBS. A key of yours must admit EC2 in its policy."""

    def mistakes(self) -> Iterator[Mistake]:
        """Throughput is gp3's."""
        if self.throughput and self.type != "gp3":
            problem = f"needs type gp3, not {self.type}: drop one of them"
            yield Mistake("throughput", problem, self.throughput)


class MetadataConfig(Section):
    """The instance metadata service, always version 2."""

    hop_limit: int = Field(default=1, ge=1, le=64)
    """1 keeps pods away from the node's role; pods that need metadata ask for 2."""


class SelectorTermConfig(Section):
    """One way to find subnets or security groups: by id, or by all of the tags."""

    id: str | None = None
    tags: Mapping[str, Annotated[str, Field(min_length=1)]] = {}
    """`*` as value: any."""

    def mistakes(self) -> Iterator[Mistake]:
        """One of both."""
        if bool(self.id) == bool(self.tags):
            yield Mistake("", "give either id or tags: each term is one of them")

    def term(self) -> dict[str, Any]:
        """The term as the API takes it."""
        return {"id": self.id} if self.id else {"tags": dict(self.tags)}


class NodeClassConfig(Section):
    """What all nodes of a class have in common. A change of image, volume, metadata or tags
    replaces the nodes one after the other, within the budgets of their pools."""

    ami_alias: str = Field(pattern=r"^(al2023|bottlerocket)@v\d+(\.\d+\.\d+)?$")
    """The image, pinned: `al2023@v20261101` or `bottlerocket@v1.50.0`. `latest` is refused, since
    AWS would then decide when nodes are replaced."""
    volume: VolumeConfig = VolumeConfig()
    metadata: MetadataConfig = MetadataConfig()
    detailed_monitoring: bool = False
    """Metrics each minute, at about 2 USD a node and month."""
    tags: Mapping[str, str] = {}
    """On instances, volumes and network interfaces, spelled as given."""
    subnet_selector_terms: tuple[SelectorTermConfig, ...] | None = Field(default=None, min_length=1)
    """Absent: by the discovery tag, which the stack's private subnets carry."""
    security_group_selector_terms: tuple[SelectorTermConfig, ...] | None = Field(
        default=None, min_length=1
    )
    """Absent: by the discovery tag, which the cluster's one security group carries."""

    def mistakes(self) -> Iterator[Mistake]:
        """Tags that are not Karpenter's own, and that hold still."""
        for key, value in self.tags.items():
            if key in RESTRICTED_TAGS or key.startswith("kubernetes.io/cluster"):
                yield Mistake(f"tags.{key}", "Karpenter sets this tag itself: drop it", value)
            if _TIME_STAMP.search(value):
                yield Mistake(
                    f"tags.{key}",
                    "holds a time stamp, which would replace every node at each run: drop it",
                    value,
                )


def node_class_spec(
    config: NodeClassConfig,
    *,
    cluster: str,
    role: pulumi.Input[str] | None,
    instance_profile: pulumi.Input[str] | None,
    security_group_id: pulumi.Input[str] | None = None,
) -> dict[str, Any]:
    """The `spec` of an EC2NodeClass, with every default that matters written out.

    Exactly one of `role` and `instance_profile` is given, both by name. `security_group_id` is for
    a group without the discovery tag.
    """
    discovery = [{"tags": {DISCOVERY_TAG: cluster}}]
    group = discovery if security_group_id is None else [{"id": security_group_id}]
    spec: dict[str, Any] = {
        "amiSelectorTerms": [{"alias": config.ami_alias}],
        "subnetSelectorTerms": _terms(config.subnet_selector_terms) or discovery,
        "securityGroupSelectorTerms": _terms(config.security_group_selector_terms) or group,
        "blockDeviceMappings": block_devices(config),
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": config.metadata.hop_limit,
            "httpTokens": "required",
        },
        "detailedMonitoring": config.detailed_monitoring,
    }
    spec |= {"instanceProfile": instance_profile} if instance_profile else {"role": role}
    if config.tags:
        spec["tags"] = dict(config.tags)
    return spec


def block_devices(config: NodeClassConfig) -> list[dict[str, Any]]:
    """The volumes of a node: the configured one, and Bottlerocket's small one for its system."""
    family = config.ami_alias.partition("@")[0]
    volume = config.volume
    ebs: dict[str, Any] = {
        "volumeSize": volume.size,
        "volumeType": volume.type,
        "encrypted": True,
        "deleteOnTermination": True,
    }
    if volume.iops:
        ebs["iops"] = volume.iops
    if volume.throughput:
        ebs["throughput"] = volume.throughput
    key = {"kmsKeyID": volume.kms_key_id} if volume.kms_key_id else {}
    devices = [{"deviceName": _DATA_DEVICE[family], "ebs": ebs | key}]
    if family == "bottlerocket":
        system = {
            "volumeSize": "4Gi",
            "volumeType": "gp3",
            "encrypted": True,
            "deleteOnTermination": True,
        }
        devices.insert(0, {"deviceName": "/dev/xvda", "ebs": system | key})
    return devices


def _terms(terms: tuple[SelectorTermConfig, ...] | None) -> list[dict[str, Any]]:
    return [term.term() for term in terms or ()]
