"""EBS CSI driver: volumes of one pod each, as an add-on that EKS keeps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pulumi
from pydantic import Field

from ...cluster.eks_addons import EksAddon, EksAddonArgs, EksAddonConfig
from ...iam.pod_role import PodRole, PodRoleArgs
from ...kubernetes.admission import Pods
from ...kubernetes.charts import UNQUOTED, survives_unquoted
from ...kubernetes.kubernetes_object import KubernetesObject
from ...kubernetes.labels import LabelKey, LabelValue
from ...placement import RunsOn
from ...section import Mistake
from ..addon import NAMESPACE, AddonArgs, AddonConfig

ADDON = "aws-ebs-csi-driver"
SERVICE_ACCOUNT = "ebs-csi-controller-sa"
"""The add-on makes it; the name cannot be chosen."""
PROVISIONER = "ebs.csi.aws.com"
POLICY = "AmazonEBSCSIDriverPolicyV2"
"""Without `service-role/`, which IAM answers with NoSuchEntity, though the EKS user guide prints
it. It changes and deletes only volumes with the driver's tag; the older `AmazonEBSCSIDriverPolicy`
those of everybody (aws-ebs-csi-driver#2918)."""
STORAGE_CLASS = "gp3"

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


@dataclass(frozen=True, kw_only=True)
class EbsCsiArgs(AddonArgs):
    """The stack file's part, and the cluster it goes to."""

    config: EbsCsiConfig
    """The stack file's part."""


class EbsCsi(pulumi.ComponentResource):
    """Ready when the controller runs and the class is there."""

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
            # Without a place for its pods it is DEGRADED, and EKS waits for 20 minutes.
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


def pods_of(args: EbsCsiArgs) -> Pods:
    """The controller's pods, as the webhooks of EKS have to know them."""
    return Pods(
        namespace=NAMESPACE,
        labels=args.config.POD_LABELS,
        profile=args.placement.profile,
        service_account=SERVICE_ACCOUNT if args.placement.on_nodes else None,
    )


def kms_policy(*, key_arn: str) -> dict[str, Any]:
    """What EC2 needs of the caller to encrypt volumes with a key of the account's own."""
    use = {
        "Sid": "EncryptVolumes",
        "Effect": "Allow",
        "Action": ["kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext"],
        "Resource": key_arn,
    }
    # A grant outlives the call: only AWS's services may get one.
    grant = {
        "Sid": "GrantTheKeyToEc2",
        "Effect": "Allow",
        "Action": "kms:CreateGrant",
        "Resource": key_arn,
        "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
    }
    return {"Version": "2012-10-17", "Statement": [use, grant]}


def configuration(config: EbsCsiConfig, runs_on: RunsOn) -> dict[str, Any]:
    """The add-on's values. Its schema is narrower than the chart's, and EKS refuses what is not in
    it: region and cluster are not here, since EKS' webhooks and EKS itself set both."""
    controller: dict[str, Any] = {"replicaCount": config.replicas}
    if config.node_selector and runs_on is RunsOn.NODES:
        controller["nodeSelector"] = dict(config.node_selector)
    if config.volume_tags:
        controller["extraVolumeTags"] = dict(config.volume_tags)
    return {"controller": controller}


def storage_class(*, kms_key_arn: str | None, default: bool) -> dict[str, Any]:
    """gp3, encrypted. The add-on's own default class asks for neither."""
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
