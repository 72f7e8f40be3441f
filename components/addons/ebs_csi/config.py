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
    """EBS CSI driver: its build, its controllers, and its storage class.

    The volumes are for nodes: pods on Fargate cannot mount EBS, with or without the driver.
    """

    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app": "ebs-csi-controller",
        "app.kubernetes.io/name": ADDON,
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("ec2",)

    replicas: int = Field(default=1, ge=1, le=3)
    """Number of controller pods. On Fargate each is billed by itself, about 10 USD per month; its
    containers request at most 60m and 240Mi together, which fits Fargate's smallest size.
    """
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes where the controller may run, for example `lifecycle: OnDemand`; ignored
    on Fargate.
    """
    volume_tags: Mapping[TagKey, TagValue] = {}
    """Tags of every volume, for cost reports for example. EKS itself adds the cluster's tag,
    `kubernetes.io/cluster/<name>`.
    """
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """KMS key that encrypts volumes. Absent: the account's default key for EBS. Existing volumes
    keep their key.
    """
    default_storage_class: bool = True
    """If true, claims that name no class get a `gp3` volume. EKS has had no default class since
    1.30.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses tags that the driver refuses when it starts, and texts that would not arrive as
        written.
        """
        for key, value in self.volume_tags.items():
            if not survives_unquoted("extra-tags", f"{key}={value}"):
                yield Mistake(f"volumeTags.{key}", UNQUOTED, value)
            if key in _DRIVER_TAGS or key.startswith(_RESERVED_PREFIXES):
                problem = "is a tag of the driver, Kubernetes or AWS: choose another name"
                yield Mistake(f"volumeTags.{key}", problem)
