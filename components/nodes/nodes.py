"""Settings that all groups of EC2 nodes share: size, taints, labels, volume, metadata service,
role.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ..ec2.image_families import Family
from ..kubernetes.kubelet import KubeletConfig
from ..kubernetes.labels import LabelKey, LabelValue
from ..location import Location
from ..section import Mistake, Section

if TYPE_CHECKING:
    import pulumi_aws as aws

NODE_POLICIES = {
    "cni": "AmazonEKS_CNI_Policy",
    "worker": "AmazonEKSWorkerNodePolicy",
    "images": "AmazonEC2ContainerRegistryPullOnly",
    "ssm": "AmazonSSMManagedInstanceCore",
}
"""AWS managed policies of a node's role, by the name of their attachment."""

# Of the reserved labels, what kubelet may set on its own node (k8s.io/kubelet, pkg/apis,
# well_known_labels.go): these, and all with these prefixes.
_KUBELET_LABELS = {
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
}
_KUBELET_PREFIXES = ("kubelet.kubernetes.io", "node.kubernetes.io")
_RESERVED_PREFIXES = ("kubernetes.io", "k8s.io")
_LONGEST_NAME, _LONGEST_PREFIX = 63, 253

# What Bottlerocket starts from; pods and images have a volume of their own.
_BOTTLEROCKET_SYSTEM_GIB = 4


class MetadataConfig(Section):
    """The EC2 instance metadata service; it is always version 2."""

    hop_limit: int = Field(default=1, ge=1, le=64)
    """Network hops that a metadata response may take. 1 keeps pods away from the node's role; 2
    lets pods use the service.
    """


class NodeTaintConfig(Section):
    """A taint: keeps pods without the matching toleration off the node."""

    key: LabelKey
    """Key of the taint, which a toleration must name."""
    value: LabelValue | None = None
    """Value of the taint, which a toleration must name too unless it is absent."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """NoSchedule keeps new pods away, PreferNoSchedule does so if possible, NoExecute also evicts
    running pods.
    """

    @property
    def text(self) -> str:
        """Value and effect as in kubelet's flag and the autoscaler's tag, without the key."""
        return f"{self.value or ''}:{self.effect}"


class SizeConfig(Section):
    """Number of nodes in a group. If an autoscaler runs, `desired` counts only when the group is
    created; later the autoscaler sets it.
    """

    min: int = Field(ge=0)
    """Fewest nodes."""
    max: int = Field(ge=1)
    """Most nodes, which also limits the cost of the group."""
    desired: int | None = Field(default=None, ge=0)
    """Number of nodes to start with; absent: the minimum."""

    @property
    def initial(self) -> int:
        """Number of nodes that the group starts with."""
        return self.min if self.desired is None else self.desired

    def mistakes(self) -> Iterator[Mistake]:
        """min must not exceed desired, nor desired max."""
        if self.min > self.max:
            yield Mistake("min", f"is above max {self.max}: lower it or raise max", self.min)
        elif not self.min <= self.initial <= self.max:
            problem = f"lies outside min {self.min} to max {self.max}: correct one of them"
            yield Mistake("desired", problem, self.initial)


class NodesConfig(Section):
    """Settings of nodes, whether EKS or the stack's own Auto Scaling group launches them."""

    size: SizeConfig
    """Number of nodes."""
    volume_gib: int = Field(default=20, ge=20)
    """GiB of the volume that holds pods and images: gp3, encrypted, deleted with the node."""
    metadata: MetadataConfig = MetadataConfig()
    """The instance metadata service."""
    labels: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes; only those that kubelet may set on its own node."""
    taints: tuple[NodeTaintConfig, ...] = Field(default=(), max_length=50)
    """Taints of the nodes, which keep pods without the matching toleration away."""
    kubelet: KubeletConfig = KubeletConfig()
    """Settings of kubelet; absent ones keep the image's value."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses labels that kubelet may not set, and a taint that is listed twice."""
        for key, value in self.labels.items():
            if problem := label_problem(key):
                yield Mistake(f"labels.{key}", problem, value)
        places: dict[tuple[str, str], int] = {}
        for number, taint in enumerate(self.taints):
            earlier = places.setdefault((taint.key, taint.effect), number)
            if earlier != number:
                problem = f"has key and effect of taints[{earlier}]: drop one of them"
                yield Mistake(f"taints[{number}]", problem, taint.key)


def label_problem(key: str) -> str | None:
    """Why a node cannot set this label on itself, and what to do; None if it can.

    Kubelet refuses to start with such a label, and the node would never join.
    """
    prefix, slash, name = key.rpartition("/")
    if len(name) > _LONGEST_NAME or len(prefix) > _LONGEST_PREFIX:
        return (
            f"is too long: at most {_LONGEST_PREFIX} characters before the slash "
            f"and {_LONGEST_NAME} after it"
        )
    if not slash or not _within(prefix, _RESERVED_PREFIXES):
        return None
    if key in _KUBELET_LABELS or _within(prefix, _KUBELET_PREFIXES):
        return None
    if _within(prefix, ("node-restriction.kubernetes.io",)):
        return (
            "is one of those that no node may give itself: use a prefix of your own, or have an "
            "administrator label the nodes once they are there"
        )
    return (
        "is one of Kubernetes' own, with which kubelet does not start: use a prefix of your own, "
        f"for example example.com/{name}, or node.kubernetes.io/{name}"
    )


def _within(prefix: str, domains: Sequence[str]) -> bool:
    return any(prefix == domain or prefix.endswith(f".{domain}") for domain in domains)


def metadata_options(metadata: MetadataConfig) -> "aws.ec2.LaunchTemplateMetadataOptionsArgsDict":
    """Metadata options of a launch template: always version 2 of the service, which requires a
    token.
    """
    return {
        "http_endpoint": "enabled",
        "http_tokens": "required",
        "http_put_response_hop_limit": metadata.hop_limit,
    }


def block_devices(
    family: Family, volume_gib: int
) -> "list[aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict]":
    """Volumes of a launch template: one for pods and images, preceded by Bottlerocket's system
    volume.
    """
    if family == "bottlerocket":
        system = _volume("/dev/xvda", _BOTTLEROCKET_SYSTEM_GIB)
        return [system, _volume("/dev/xvdb", volume_gib)]
    return [_volume("/dev/xvda", volume_gib)]


def _volume(device: str, gib: int) -> "aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict":
    # The provider takes the booleans of a disk as texts.
    return {
        "device_name": device,
        "ebs": {
            "volume_size": gib,
            "volume_type": "gp3",
            "encrypted": "true",
            "delete_on_termination": "true",
        },
    }


def node_policies(location: Location) -> Mapping[str, str]:
    """ARNs of the managed policies of a node's role, by the name of their attachment."""
    return {noun: location.managed_policy(policy) for noun, policy in NODE_POLICIES.items()}
