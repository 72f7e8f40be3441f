"""EBS CSI driver: volumes that one pod mounts, installed by EKS as an add-on."""

from dataclasses import dataclass
from typing import Any

import pulumi

from ...cluster.eks_addons import EksAddon, EksAddonArgs
from ...iam.pod_role import PodRole, PodRoleArgs
from ...kubernetes.admission import Pods
from ...kubernetes.kubernetes_object import KubernetesObject
from ...placement import RunsOn
from ..addon import AddonArgs, Declared, Surroundings
from ..addon_config import NAMESPACE
from .config import ADDON, EbsCsiConfig
from .policy import POLICY, kms_policy

SERVICE_ACCOUNT = "ebs-csi-controller-sa"
"""Service account that the add-on creates; its name cannot be chosen."""
PROVISIONER = "ebs.csi.aws.com"
STORAGE_CLASS = "gp3"


@dataclass(frozen=True, kw_only=True)
class EbsCsiArgs(AddonArgs):
    """The stack file's settings of the driver, and the cluster."""

    config: EbsCsiConfig
    """The stack file's settings of the driver."""


class EbsCsi(pulumi.ComponentResource):
    """The EBS CSI driver and its storage class; ready when the controller runs and the class
    exists.
    """

    def __init__(
        self, name: str, args: EbsCsiArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:EbsCsi", name, None, opts)
        config, key = args.config, args.config.kms_key_arn
        # Rights are injected when a pod starts: they come first. On nodes the association is the
        # role's own, and the add-on gets none: there can be but one of an account.
        role = PodRole(
            f"{name}-role",
            PodRoleArgs(
                cluster=args.cluster,
                runs_on=args.placement.runs_on,
                namespace=NAMESPACE,
                service_account=SERVICE_ACCOUNT,
                account_comes_later=True,
                policy=kms_policy(key_arn=key) if key else None,
                managed_policies={"ebs": args.cluster.location.managed_policy(POLICY)},
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        addon = EksAddon(
            name,
            EksAddonArgs(
                config=config,
                addon_name=ADDON,
                cluster=args.cluster,
                configuration=configuration(config, args.placement.runs_on),
                hooks=args.cluster.admission.hooks(pods_of(args)),
                service_account_role_arn=(
                    role.role_arn if args.placement.runs_on is RunsOn.FARGATE else None
                ),
            ),
            # An add-on whose pods find no place is DEGRADED, and EKS waits 20 minutes for it.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[role, *args.placement.needs]),
        )
        KubernetesObject(
            f"{name}-class",
            storage_class(kms_key_arn=key, default=config.default_storage_class),
            opts=pulumi.ResourceOptions(
                parent=self,
                provider=args.cluster.provider,
                depends_on=[addon],
                # Its parameters cannot be changed, and its name is the same.
                delete_before_replace=True,
            ),
        )
        self.register_outputs({})


def declare(config: EbsCsiConfig, around: Surroundings, opts: pulumi.ResourceOptions) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = EbsCsi(
        "ebs-csi",
        EbsCsiArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS).after(around.coredns),
        ),
        opts=opts,
    )
    return Declared(component=addon)


def pods_of(args: EbsCsiArgs) -> Pods:
    """The controller's pods, as EKS's admission webhooks see them."""
    return Pods(
        namespace=NAMESPACE,
        labels=args.config.POD_LABELS,
        profile=args.placement.profile,
        service_account=SERVICE_ACCOUNT if args.placement.on_nodes else None,
    )


def configuration(config: EbsCsiConfig, runs_on: RunsOn) -> dict[str, Any]:
    """The add-on's configuration values. Its schema is narrower than the chart's, and EKS refuses
    other keys. Region and cluster are missing because EKS and its webhooks set them.
    """
    controller: dict[str, Any] = {"replicaCount": config.replicas}
    if config.node_selector and runs_on is RunsOn.NODES:
        controller["nodeSelector"] = dict(config.node_selector)
    if config.volume_tags:
        controller["extraVolumeTags"] = dict(config.volume_tags)
    return {"controller": controller}


def storage_class(*, kms_key_arn: str | None, default: bool) -> dict[str, Any]:
    """A storage class of encrypted gp3 volumes. The add-on's own default class does not encrypt."""
    metadata: dict[str, Any] = {"name": STORAGE_CLASS}
    if default:
        metadata["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    parameters = {"type": "gp3", "encrypted": "true"}
    if kms_key_arn:
        parameters["kmsKeyId"] = kms_key_arn
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": metadata,
        "provisioner": PROVISIONER,
        "parameters": parameters,
        # A volume lies in one zone: only the pod's node says in which.
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }
