"""The section of the EFS CSI driver in the stack file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...section import Mistake, Section
from ..addon_config import PodsConfig

FileSystemId = Annotated[str, Field(pattern=r"^fs-[0-9a-f]{8,40}$")]
StorageClassName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", max_length=63)]


class FileSystemConfig(Section):
    """An EFS file system, encrypted and in every zone. EFS bills stored data: 0.30 USD per GB and
    month, about a tenth of that for files that nobody reads.
    """

    throughput_mode: Literal["elastic", "bursting"] = "elastic"
    """elastic: as fast as needed, for 0.03 USD per GB read and 0.06 written. bursting: free, but a
    file system of 20 GB drops to 1 MB per second once its credits are used up.
    """
    infrequent_access_days: Literal[1, 7, 14, 30, 60, 90, 180, 270, 365, "never"] = 30
    """Days without a read after which a file moves to the cheap class; reading it moves it back."""
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """KMS key of the file system. Absent: AWS's own key for EFS. The key cannot be changed: another
    key makes a new file system, and the files in the old one are lost.
    """
    keep_on_destroy: bool = False
    """If true, a destroy, or removing this section, keeps the file system with its files but
    without mount targets. Another stack can use it by its id as `fileSystemId`; you must delete it
    yourself.
    """


class EfsCsiConfig(PodsConfig):
    """EFS CSI driver, and if asked for a file system with a storage class. `cpu` and `memory` are
    those of the driver's own container; its two sidecars take 50m and 96M more. If the controller
    runs on Fargate, the liveness probe on each node has Fargate's limit of 20m too, since the chart
    has one key (`sidecars.livenessProbe.resources`) for both.
    """

    CHART_NAME: ClassVar[str] = "aws-efs-csi-driver"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app": "efs-csi-controller",
        "app.kubernetes.io/name": "aws-efs-csi-driver",
        "app.kubernetes.io/instance": "aws-efs-csi-driver",
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("elasticfilesystem",)
    ON_FARGATE: ClassVar[Mapping[str, str]] = {"cpu": "200m", "memory": "160M"}

    file_system: FileSystemConfig | None = None
    """A file system that the stack creates; `{}` is enough."""
    file_system_id: FileSystemId | None = None
    """Id of an existing file system, with mount targets that the cluster's security group can
    reach.
    """
    storage_class: StorageClassName | None = None
    """Name of the storage class; each of its volumes is a directory in the file system. Absent:
    `efs`.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """At most one file system, and no storage class without one."""
        if self.file_system and self.file_system_id:
            problem = "fileSystem makes another one: drop one of the two"
            yield Mistake("fileSystemId", problem, self.file_system_id)
        if self.storage_class and not (self.file_system or self.file_system_id):
            problem = (
                "its volumes would lie nowhere: add fileSystem: {} or fileSystemId, or drop it"
            )
            yield Mistake("storageClass", problem, self.storage_class)
