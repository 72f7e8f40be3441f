"""Rules about encryption of disks, queues and logs."""

from collections.abc import Callable, Iterator

from frugal_eks.plans.policy.reading import dig, first, is_false, is_off, is_unknown, objects
from frugal_eks.plans.policy.rule import ResourceRule, Settings
from frugal_eks.plans.policy.rules.access import CLUSTER
from frugal_eks.plans.previews import Resource


def _secrets(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type == CLUSTER and not resource.inputs.get("encryptionConfig"):
        yield "encryptionConfig is absent"


def _node_class(resource: Resource) -> Iterator[str]:
    mappings = dig(resource.inputs, "spec.blockDeviceMappings")
    # Karpenter's own default is encrypted; for AMIs of one's own it has none.
    if not mappings and dig(resource.inputs, "spec.amiFamily") == "Custom":
        yield "spec.blockDeviceMappings is absent"
    for index, device in enumerate(objects(mappings)):
        if is_off(dig(device, "ebs.encrypted")):
            yield f"spec.blockDeviceMappings[{index}].ebs.encrypted is not true"


def _launch_template(resource: Resource) -> Iterator[str]:
    mappings = resource.inputs.get("blockDeviceMappings")
    if not mappings:
        yield "blockDeviceMappings is absent, so the image decides"
    for index, device in enumerate(objects(mappings)):
        if device.get("ebs") and is_off(dig(device, "ebs.encrypted")):
            yield f"blockDeviceMappings[{index}].ebs.encrypted is not true"


def _node_group(resource: Resource) -> Iterator[str]:
    if not resource.inputs.get("launchTemplate"):
        yield "launchTemplate is absent, so the account's default decides"


def _instance(resource: Resource) -> Iterator[str]:
    if resource.inputs.get("launchTemplate"):
        return
    root = first(resource.inputs.get("rootBlockDevice"))
    if is_off(root.get("encrypted")) and not is_unknown(resource.inputs.get("rootBlockDevice")):
        yield "rootBlockDevice.encrypted is not true"
    for index, device in enumerate(objects(resource.inputs.get("ebsBlockDevices"))):
        if is_off(device.get("encrypted")):
            yield f"ebsBlockDevices[{index}].encrypted is not true"


def _volume(resource: Resource) -> Iterator[str]:
    if is_off(resource.inputs.get("encrypted")):
        yield "encrypted is not true"


def _storage_class(resource: Resource) -> Iterator[str]:
    of_ebs = resource.inputs.get("provisioner") in {"ebs.csi.aws.com", "ebs.csi.eks.amazonaws.com"}
    if of_ebs and is_off(dig(resource.inputs, "parameters.encrypted")):
        yield 'parameters.encrypted is not "true"'


_VOLUMES: dict[str, Callable[[Resource], Iterator[str]]] = {
    "aws:ebs/volume:Volume": _volume,
    "aws:ec2/instance:Instance": _instance,
    "aws:ec2/launchTemplate:LaunchTemplate": _launch_template,
    "aws:eks/nodeGroup:NodeGroup": _node_group,
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": _node_class,
    "kubernetes:storage.k8s.io/v1:StorageClass": _storage_class,
}


def _volumes(resource: Resource, _settings: Settings) -> Iterator[str]:
    if look := _VOLUMES.get(resource.type):
        yield from look(resource)


def _file_system(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type == "aws:efs/fileSystem:FileSystem":
        yield from _volume(resource)


def _queue(resource: Resource, _settings: Settings) -> Iterator[str]:
    # SQS encrypts new queues by itself since October 2022, unless it is told not to.
    if (
        resource.type == "aws:sqs/queue:Queue"
        and is_false(resource.inputs.get("sqsManagedSseEnabled"))
        and not resource.inputs.get("kmsMasterKeyId")
    ):
        yield "sqsManagedSseEnabled is false and kmsMasterKeyId absent"


def _logs(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type == "aws:cloudwatch/logGroup:LogGroup" and not resource.inputs.get("kmsKeyId"):
        yield "kmsKeyId is absent"


RULES = (
    ResourceRule(
        name="unencrypted-secrets",
        level="mandatory",
        reason="Secrets of Kubernetes lie in etcd; a key of your own says who may read them, and "
        "CloudTrail who did.",
        remedy="give the cluster a key: encryptionConfig: {provider: {keyArn: …}, resources: "
        "[secrets]}",
        check=_secrets,
    ),
    ResourceRule(
        name="unencrypted-volume",
        level="mandatory",
        reason="A disk or its snapshot can be read by whoever gets hold of it.",
        remedy="set `encrypted: true`; AWS's own key costs nothing",
        check=_volumes,
    ),
    ResourceRule(
        name="unencrypted-file-system",
        level="mandatory",
        reason="A file system cannot be encrypted afterwards: its files must be copied to another.",
        remedy="set `encrypted: true`; AWS's own key costs nothing",
        check=_file_system,
    ),
    ResourceRule(
        name="unencrypted-queue",
        level="mandatory",
        reason="Messages in a queue are stored like any other data.",
        remedy="set `sqsManagedSseEnabled: true`, which costs nothing, or name a key",
        check=_queue,
    ),
    ResourceRule(
        name="unencrypted-log-group",
        level="advisory",
        reason="CloudWatch encrypts logs by a key of its own; one of yours says who may read them.",
        remedy="name a key in kmsKeyId: about 1 USD a month",
        check=_logs,
    ),
)
