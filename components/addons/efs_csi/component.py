"""EFS CSI driver: volumes that many pods share, in every zone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from ... import versions
from ...kubernetes.charts import Chart
from ...kubernetes.kubernetes_object import KubernetesObject
from ..addon import (
    AddonAccount,
    ChartArgs,
    Declared,
    ServiceAccountArgs,
    Surroundings,
    install,
    release_options,
)
from ..addon_config import resources
from .config import EfsCsiConfig
from .efs_file_system import (
    EfsFileSystem,
    EfsFileSystemArgs,
    cluster_tag,
    storage_class,
)
from .policy import iam_policy

CHART = Chart(
    name=EfsCsiConfig.CHART_NAME,
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
SIDECAR_SIZES = {
    "csiProvisioner": {"cpu": "30m", "memory": "64M"},
    "livenessProbe": {"cpu": "20m", "memory": "32M"},
}
"""Sizes of the controller's sidecars. Together with the driver's 200m and 160M they fill Fargate's
smallest size. A sidecar without a size would take the driver's
(templates/controller-deployment.yaml), which does not fit there. The liveness probe on nodes has
the same size as in the controller, since the chart has one key for both.
"""


@dataclass(frozen=True, kw_only=True)
class EfsCsiArgs(ChartArgs):
    """The stack file's settings of the driver, and the network that reaches the file system."""

    config: EfsCsiConfig
    """The stack file's settings of the driver."""
    vpc_id: pulumi.Input[str]
    """VPC of the file system's security group."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Ids of private subnets, one in each zone."""
    security_group_ids: Sequence[pulumi.Input[str]]
    """Security groups of all nodes and pods."""


class EfsCsi(pulumi.ComponentResource):
    """The EFS CSI driver, and if asked for a file system and its storage class.

    The controller runs anywhere. The DaemonSet that mounts volumes runs on EC2 nodes only: Fargate
    mounts EFS by itself, but only volumes that were created in advance (EKS user guide, EFS CSI
    driver).
    """

    file_system_id: pulumi.Output[str] | None = None
    """Id of the storage class's file system; None if there is none."""

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


def declare(config: EfsCsiConfig, around: Surroundings, opts: pulumi.ResourceOptions) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = EfsCsi(
        "efs-csi",
        EfsCsiArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
            vpc_id=around.vpc_id,
            subnet_ids=around.subnet_ids,
            security_group_ids=around.security_group_ids,
        ),
        opts=opts,
    )
    return Declared(
        component=addon,
        outputs={"efsFileSystemId": addon.file_system_id} if addon.file_system_id else {},
    )


def helm_values(args: EfsCsiArgs) -> dict[str, Any]:
    """Values of the chart; absent ones keep the chart's default, which also keeps the node
    DaemonSet, privileged and on the host's network, away from Fargate.
    """
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
