"""The section of the EBS CSI driver in the stack file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from ...cluster.eks_addons_config import EksAddonConfig
from ...kubernetes.charts import UNQUOTED, survives_unquoted
from ...kubernetes.labels import LabelKey, LabelValue
from ...section import Mistake
from ..addon_config import AddonConfig

ADDON = "aws-ebs-csi-driver"
_DRIVER_TAGS = ("CSIVolumeName", "CSIVolumeSnapshotName", "ebs.csi.aws.com/cluster")
_RESERVED_PREFIXES = ("kubernetes.io", "aws:")
# The driver gets all of them as one text, `key=value,key=value`.
TagKey = Annotated[str, Field(pattern=r"^[\w .:/+@-]+$", max_length=128)]
TagValue = Annotated[str, Field(pattern=r"^[\w .:/+@-]*$", max_length=256)]


class EbsCsiConfig(EksAddonConfig, AddonConfig):
    """Which build, how many controllers, and the class of the volumes.

    Pods on Fargate cannot mount EBS, with or without it: the volumes are for nodes.
    """

    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app": "ebs-csi-controller",
        "app.kubernetes.io/name": ADDON,
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("ec2",)

    replicas: int = Field(default=1, ge=1, le=3)
    """On Fargate each is billed by itself, about 10 USD a month; its containers ask for 60m and
    240Mi in all at most, which its smallest size holds."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """On nodes only: where its controller may run, for example `lifecycle: OnDemand`."""
    volume_tags: Mapping[TagKey, TagValue] = {}
    """On every volume, for cost reports for example. EKS itself adds the cluster's tag,
    `kubernetes.io/cluster/<name>`."""
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """The key that encrypts volumes; absent means the account's own for EBS. Volumes that exist
    keep theirs."""
    default_storage_class: bool = True
    """Whether claims that name no class get one of `gp3`. EKS has no default class since 1.30."""

    def mistakes(self) -> Iterator[Mistake]:
        """Tags that the driver refuses when it starts, and texts that do not arrive as they are."""
        for key, value in self.volume_tags.items():
            if not survives_unquoted("extra-tags", f"{key}={value}"):
                yield Mistake(f"volumeTags.{key}", UNQUOTED, value)
            if key in _DRIVER_TAGS or key.startswith(_RESERVED_PREFIXES):
                problem = "is a tag of the driver, Kubernetes or AWS: choose another name"
                yield Mistake(f"volumeTags.{key}", problem)
