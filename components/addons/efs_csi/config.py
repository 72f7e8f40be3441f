"""The section of the EFS CSI driver in the stack file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...section import Mistake, Section
from ..addon_config import PodsConfig

FileSystemId = Annotated[str, Field(pattern=r"^fs-[0-9a-f]{8,40}$")]
StorageClassName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", max_length=63)]


class FileSystemConfig(Section):
    """Encrypted, in every zone, billed by what lies in it: 0.30 USD a GB and month, about a tenth
    of that for files that nobody reads."""

    throughput_mode: Literal["elastic", "bursting"] = "elastic"
    """elastic: as fast as asked for, 0.03 USD a GB read and 0.06 written. bursting: free, but a
    file system of 20 GB has 1 MB a second once its credits are used up."""
    infrequent_access_days: Literal[1, 7, 14, 30, 60, 90, 180, 270, 365, "never"] = 30
    """Files that were not read for so long move to the cheap class, and back when they are read."""
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """Absent: AWS's own key for EFS. It cannot be changed: another key makes another file system,
    and what lies in the old one is lost."""
    keep_on_destroy: bool = False
    """true: a destroy, or taking this section away, leaves the file system with its files, without
    mount targets. By its id, as `fileSystemId`, another stack can have it; delete it yourself."""


class EfsCsiConfig(PodsConfig):
    """The driver, and if asked for a file system with a storage class. `cpu` and `memory` are those
    of the driver's own container; its two sidecars take 50m and 96M more. With a controller on
    Fargate the liveness probe's container of each node has Fargate's limit of 20m too, since the
    chart has one key (`sidecars.livenessProbe.resources`) for both."""

    CHART_NAME: ClassVar[str] = "aws-efs-csi-driver"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app": "efs-csi-controller",
        "app.kubernetes.io/name": "aws-efs-csi-driver",
        "app.kubernetes.io/instance": "aws-efs-csi-driver",
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("elasticfilesystem",)
    ON_FARGATE: ClassVar[Mapping[str, str]] = {"cpu": "200m", "memory": "160M"}

    file_system: FileSystemConfig | None = None
    """One of the stack's own; `{}` is enough."""
    file_system_id: FileSystemId | None = None
    """One that exists, with mount targets that the cluster's security group may reach."""
    storage_class: StorageClassName | None = None
    """The class whose volumes lie there, each in a directory of its own. Absent: `efs`."""

    def mistakes(self) -> Iterator[Mistake]:
        """One file system at most, and no class without one."""
        if self.file_system and self.file_system_id:
            problem = "fileSystem makes another one: drop one of the two"
            yield Mistake("fileSystemId", problem, self.file_system_id)
        if self.storage_class and not (self.file_system or self.file_system_id):
            problem = (
                "its volumes would lie nowhere: add fileSystem: {} or fileSystemId, or drop it"
            )
            yield Mistake("storageClass", problem, self.storage_class)
