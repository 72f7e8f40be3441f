"""EFS CSI driver: volumes that many pods share, in every zone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pulumi
from pydantic import Field

from ... import versions
from ...kubernetes.charts import Chart
from ...kubernetes.kubernetes_object import KubernetesObject
from ...location import Location
from ...section import Mistake
from ..addon import (
    AddonAccount,
    ChartArgs,
    PodsConfig,
    ServiceAccountArgs,
    install,
    release_options,
    resources,
)
from .efs_file_system import (
    EfsFileSystem,
    EfsFileSystemArgs,
    FileSystemConfig,
    FileSystemId,
    cluster_tag,
    storage_class,
)

CHART = Chart(
    name="aws-efs-csi-driver",
    repository="https://kubernetes-sigs.github.io/aws-efs-csi-driver",
    version=versions.EFS_CSI_CHART,
)
IMAGE = "public.ecr.aws/efs-csi-driver/amazon/aws-efs-csi-driver"
SIDECAR_IMAGES = {
    "livenessProbe": "public.ecr.aws/csi-components/livenessprobe",
    "nodeDriverRegistrar": "public.ecr.aws/csi-components/csi-node-driver-registrar",
    "csiProvisioner": "public.ecr.aws/csi-components/csi-provisioner",
}
SERVICE_ACCOUNT = "efs-csi-controller-sa"
DRIVER_TAG = "efs.csi.aws.com/cluster"
"""What the driver puts on every access point, with the value `true`."""

SIDECAR_SIZES = {
    "csiProvisioner": {"cpu": "30m", "memory": "64M"},
    "livenessProbe": {"cpu": "20m", "memory": "32M"},
}
"""Sizes of the controller's sidecars. With the driver's 200m and 160M their sum is the most that
Fargate's smallest size holds. A sidecar without a size takes the driver's size
(templates/controller-deployment.yaml), which would not fit there; and the nodes' liveness probe has
the controller's size, since the chart has one key for both."""

StorageClassName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", max_length=63)]


class EfsCsiConfig(PodsConfig):
    """The driver, and if asked for a file system with a storage class. `cpu` and `memory` are those
    of the driver's own container; its two sidecars take 50m and 96M more. With a controller on
    Fargate the liveness probe's container of each node has Fargate's limit of 20m too, since the
    chart has one key (`sidecars.livenessProbe.resources`) for both."""

    CHART_NAME: ClassVar[str] = CHART.name
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app": "efs-csi-controller",
        "app.kubernetes.io/name": CHART.name,
        "app.kubernetes.io/instance": CHART.name,
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


@dataclass(frozen=True, kw_only=True)
class EfsCsiArgs(ChartArgs):
    """The stack file's part, and the network that the file system is reached from."""

    config: EfsCsiConfig
    """The stack file's part."""
    vpc_id: pulumi.Input[str]
    """The VPC of the file system's security group."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private ones, one in each zone."""
    security_group_ids: Sequence[pulumi.Input[str]]
    """Security groups of all nodes and pods."""


class EfsCsi(pulumi.ComponentResource):
    """The controller runs anywhere; the DaemonSet that mounts, on EC2 nodes only: Fargate mounts
    EFS by itself, but only volumes that somebody made before (EKS user guide, EFS CSI driver)."""

    file_system_id: pulumi.Output[str] | None = None
    """The file system of the storage class, None where there is none."""

    def __init__(
        self, name: str, args: EfsCsiArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:EfsCsi", name, None, opts)
        class_needs: list[pulumi.Resource] = []
        if args.config.file_system:
            file_system = EfsFileSystem(
                f"{name}-file-system",
                EfsFileSystemArgs(
                    config=args.config.file_system,
                    cluster=args.cluster.name,
                    vpc_id=args.vpc_id,
                    subnet_ids=args.subnet_ids,
                    security_group_ids=args.security_group_ids,
                ),
                opts=pulumi.ResourceOptions(parent=self),
            )
            self.file_system_id = file_system.file_system_id
            class_needs.append(file_system)
        elif args.config.file_system_id:
            self.file_system_id = pulumi.Output.from_input(args.config.file_system_id)

        file_systems = self.file_system_id or pulumi.Output.from_input("*")
        account = AddonAccount(
            name,
            ServiceAccountArgs(
                addon=args,
                service_account=SERVICE_ACCOUNT,
                policy=file_systems.apply(
                    lambda known: iam_policy(
                        location=args.cluster.location,
                        cluster=args.cluster.name,
                        file_system_id=known,
                    )
                ),
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        release = install(
            name,
            CHART,
            args,
            helm_values(args),
            release_options(self, args, account),
        )
        if self.file_system_id:
            KubernetesObject(
                f"{name}-class",
                storage_class(
                    name=args.config.storage_class or "efs", file_system_id=self.file_system_id
                ),
                opts=pulumi.ResourceOptions(
                    parent=self,
                    provider=args.cluster.provider,
                    # A pod that claims a volume waits for nothing else: all must be there.
                    depends_on=[release, *class_needs],
                    # Its parameters cannot be changed, and its name is the same.
                    delete_before_replace=True,
                ),
            )
        self.register_outputs({"fileSystemId": self.file_system_id})


def iam_policy(*, location: Location, cluster: str, file_system_id: str) -> dict[str, Any]:
    """AWS's `AmazonEFSCSIDriverPolicy`, for the access points of this cluster alone.

    The managed one lets each controller of an account delete the access points of all clusters, and
    refuses every tag but the driver's, so that nobody could tell them apart.
    """
    points = location.arn("elasticfilesystem", "access-point/*")
    tags = {DRIVER_TAG: "true", **cluster_tag(cluster)}
    asked = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    there = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "AllowDescribe",
                "Effect": "Allow",
                "Action": [
                    "elasticfilesystem:DescribeAccessPoints",
                    "elasticfilesystem:DescribeFileSystems",
                    "elasticfilesystem:DescribeMountTargets",
                    "ec2:DescribeAvailabilityZones",
                ],
                "Resource": "*",
            },
            {
                "Sid": "AllowCreateAccessPoint",
                "Effect": "Allow",
                "Action": "elasticfilesystem:CreateAccessPoint",
                "Resource": location.arn("elasticfilesystem", f"file-system/{file_system_id}"),
                "Condition": {"StringEquals": asked},
            },
            {
                "Sid": "AllowTagNewAccessPoints",
                "Effect": "Allow",
                "Action": "elasticfilesystem:TagResource",
                "Resource": points,
                "Condition": {
                    "StringEquals": {
                        "elasticfilesystem:CreateAction": "CreateAccessPoint",
                        **asked,
                    }
                },
            },
            {
                "Sid": "AllowDeleteAccessPoint",
                "Effect": "Allow",
                "Action": "elasticfilesystem:DeleteAccessPoint",
                "Resource": points,
                "Condition": {"StringEquals": there},
            },
        ],
    }


def helm_values(args: EfsCsiArgs) -> dict[str, Any]:
    """The chart's values; what is not here is the chart's default, and right: that keeps the node
    DaemonSet, which is privileged and on the host's network, away from Fargate."""
    config = args.config
    controller: dict[str, Any] = {
        "replicaCount": config.replicas,
        # Its rights must be there before its pods: the program makes the account.
        "serviceAccount": {"create": False, "name": SERVICE_ACCOUNT},
        # Fargate refuses such a pod (aws-efs-csi-driver#1329), and only the deletion of
        # directories, off below, needs it.
        "containerSecurityContext": {"privileged": False},
        # The chart's default, written out: true would delete the files of a volume with it.
        "deleteAccessPointRootDir": False,
        # Fargate has no metadata service, and a hop limit of 1 keeps pods from it.
        "env": [{"name": "AWS_REGION", "value": args.cluster.location.region}],
        # The global address of STS is not reached by a VPC endpoint.
        "regionalStsEndpoints": True,
        # The VPC's own: a destroy then needs no CoreDNS while the last volume goes.
        "dnsPolicy": "Default",
        # On each access point: the policy gives the rights by it.
        "tags": dict(cluster_tag(args.cluster.name)),
        # The chart asks for nothing, and nothing is 0.25 vCPU and 0.5 GB on Fargate, unbounded.
        "resources": config.resources(args.placement.runs_on),
    }
    if config.replicas > 1:
        # A drain takes one pod at a time; with one replica it would hold every drain up.
        # The chart's own is minAvailable: 1, which lets two of three go at once, and beside
        # maxUnavailable it would be printed too: a budget takes one of them.
        controller["podDisruptionBudget"] = {
            "enabled": True,
            "maxUnavailable": 1,
            "minAvailable": 0,
        }
    if config.node_selector and args.placement.on_nodes:
        controller["nodeSelector"] = dict(config.node_selector)
    values: dict[str, Any] = {
        "controller": controller,
        "sidecars": {noun: _sidecar(noun, args) for noun in SIDECAR_IMAGES},
    }
    if args.cluster.charts.images:
        values["image"] = {"repository": args.cluster.charts.image(IMAGE)}
    return values


def _sidecar(noun: str, args: EfsCsiArgs) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if size := SIDECAR_SIZES.get(noun):
        values["resources"] = resources(size, args.placement.runs_on)
    if args.cluster.charts.images:
        values["image"] = {"repository": args.cluster.charts.image(SIDECAR_IMAGES[noun])}
    return values
