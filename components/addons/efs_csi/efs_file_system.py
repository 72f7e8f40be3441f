"""A file system for the pods of one cluster, and the storage class of volumes in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from .config import FileSystemConfig

NFS_PORT = 2049
PROVISIONER = "efs.csi.aws.com"


@dataclass(frozen=True, kw_only=True)
class EfsFileSystemArgs:
    """The stack file's settings of the file system, and the network that reaches it."""

    config: FileSystemConfig
    """The stack file's settings of the file system."""
    cluster: str
    """Name of the cluster, known in advance, for the tags."""
    vpc_id: pulumi.Input[str]
    """VPC of the file system's security group."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Ids of private subnets, one in each zone: EFS refuses a second mount target in a zone."""
    security_group_ids: Sequence[pulumi.Input[str]]
    """Security groups of the pods and nodes that mount the file system."""


class EfsFileSystem(pulumi.ComponentResource):
    """An EFS file system with mount targets. It is deleted with the stack, files included, unless
    `keepOnDestroy` is true.
    """

    file_system_id: pulumi.Output[str]
    """Id of the file system; resolves once it exists. Pods can mount it when the component is
    done.
    """

    def __init__(
        self, name: str, args: EfsFileSystemArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:EfsFileSystem", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config = args.config
        label = {"Name": f"{args.cluster}-efs"}

        file_system = aws.efs.FileSystem(
            name,
            encrypted=True,
            kms_key_id=config.kms_key_arn,
            throughput_mode=config.throughput_mode,
            lifecycle_policies=_lifecycle(config),
            tags={**label, **cluster_tag(args.cluster)},
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=config.keep_on_destroy),
        )
        self.file_system_id = file_system.id
        group = aws.ec2.SecurityGroup(
            name,
            vpc_id=args.vpc_id,
            description=f"NFS from the nodes and pods of {args.cluster}",
            ingress=[
                {
                    "protocol": "tcp",
                    "from_port": NFS_PORT,
                    "to_port": NFS_PORT,
                    "security_groups": list(args.security_group_ids),
                }
            ],
            # Not the cluster's tag: of the groups that carry it there must be one only.
            tags=label,
            opts=child,
        )
        for number, subnet_id in enumerate(args.subnet_ids, start=1):
            aws.efs.MountTarget(
                f"{name}-{number}",
                file_system_id=file_system.id,
                subnet_id=subnet_id,
                security_groups=[group.id],
                opts=child,
            )
        self.register_outputs({"fileSystemId": self.file_system_id})


def cluster_tag(cluster: str) -> Mapping[str, str]:
    """Tag that marks everything of a cluster, for searches in AWS and in the driver's policy."""
    return {f"kubernetes.io/cluster/{cluster}": "owned"}


def storage_class(*, name: str, file_system_id: pulumi.Input[str]) -> dict[str, Any]:
    """A storage class that makes an access point, and a directory, for each claim."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": PROVISIONER,
        "parameters": {
            "provisioningMode": "efs-ap",
            "fileSystemId": file_system_id,
            # For its own user only; each access point gets another.
            "directoryPerms": "700",
        },
    }


def _lifecycle(config: FileSystemConfig) -> list[aws.efs.FileSystemLifecyclePolicyArgsDict]:
    """The file system's lifecycle policies; EFS takes one transition in each."""
    days = config.infrequent_access_days
    if days == "never":
        return []
    return [
        {"transition_to_ia": "AFTER_1_DAY" if days == 1 else f"AFTER_{days}_DAYS"},
        {"transition_to_primary_storage_class": "AFTER_1_ACCESS"},
    ]
