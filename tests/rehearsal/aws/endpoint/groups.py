"""Auto Scaling groups as a program makes them, and what a test sees of them."""

import base64
import json
import time
from dataclasses import dataclass, field
from typing import Any

from moto.autoscaling.models import autoscaling_backends

from rehearsal.aws.scaling.model import Member, members
from tests.rehearsal.aws.endpoint.conftest import ACCOUNT, CA, REGION, Aws, numbers
from tests.rehearsal.iam import once_iam_counts

TYPES = ["m4.large", "m5.large", "m5a.large", "m5ad.large", "m5d.large", "t2.large", "t3.large"]
PINNED = "amazon-eks-node-al2023-x86_64-standard-1.34-v20260930"
RELEASE = f"/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/{PINNED}"
SPOT_ONLY = {
    "OnDemandBaseCapacity": 0,
    "OnDemandPercentageAboveBaseCapacity": 0,
    "SpotAllocationStrategy": "capacity-optimized",
}
HOOK = {
    "LifecycleHookName": "drain",
    "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
    "DefaultResult": "CONTINUE",
    "HeartbeatTimeout": 300,
}
WAITING = "Terminating:Wait"


def node_config(cluster: str = "demo", *flags: str, **changes: Any) -> str:
    """nodeadm's document for the played cluster."""
    joins = {
        "name": cluster,
        "apiServerEndpoint": "https://127.0.0.1:6443",
        "certificateAuthority": CA,
        "cidr": "172.20.0.0/16",
        **changes,
    }
    spec = {"cluster": joins, "kubelet": {"flags": list(flags)}}
    document = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
    return json.dumps(document)


def mime(*documents: str) -> str:
    """A message with a part for each document, after one that is nothing to nodeadm."""
    parts = [("text/x-shellscript", "#!/bin/sh\necho NodeConfig")]
    parts += [("application/node.eks.aws", document) for document in documents]
    lines = ["MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="F"', ""]
    for kind, text in parts:
        lines += ["--F", f"Content-Type: {kind}", "", text]
    return "\n".join([*lines, "--F--", ""])


@dataclass
class Groups:
    """Makes groups with a role whose nodes the cluster lets in."""

    aws: Aws
    made: list[str] = field(default_factory=list[str])
    role: str = ""
    profile: str = ""

    def image(self) -> str:
        name = f"{RELEASE}/image_id"
        return self.aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]

    def let_in(self, kind: str | None = "EC2_LINUX") -> None:
        """Make the role and its profile; `kind` is that of its access entry."""
        iam = self.aws.client("iam")
        self.role = self.aws.role("ec2.amazonaws.com")
        self.profile = f"profile-{next(numbers)}"
        iam.create_instance_profile(InstanceProfileName=self.profile)
        iam.add_role_to_instance_profile(
            InstanceProfileName=self.profile, RoleName=self.role.rpartition("/")[2]
        )
        if kind:
            self.aws.eks.create_access_entry(clusterName="demo", principalArn=self.role, type=kind)

    def template(self, name: str, **data: Any) -> None:
        given = {"IamInstanceProfile": {"Name": self.profile}} if self.profile else {}
        template = {"ImageId": self.image(), **given, **data}
        if "UserData" in template:
            template["UserData"] = base64.b64encode(template["UserData"].encode()).decode()
        ec2 = self.aws.client("ec2")
        try:
            ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=template)
        except ec2.exceptions.ClientError:
            ec2.create_launch_template_version(LaunchTemplateName=name, LaunchTemplateData=template)

    def make(self, size: int, *, data: dict[str, Any] | None = None, **changes: Any) -> str:
        """A group of spot instances of many types. Its name.

        `distribution` and `overrides` are other ones of the mixed instances policy.
        """
        own = {key: changes.pop(key, None) for key in ("distribution", "overrides")}
        name = f"spot-{next(numbers)}"
        self.template(name, **(data or {}))
        once_iam_counts(
            self.aws.client("autoscaling").create_auto_scaling_group,
            **{
                "AutoScalingGroupName": name,
                "MixedInstancesPolicy": self.policy(name, **own),
                "MinSize": 0,
                "MaxSize": 9,
                "DesiredCapacity": size,
                "VPCZoneIdentifier": ",".join(self.aws.subnets),
                **changes,
            },
        )
        self.made.append(name)
        return name

    def policy(
        self,
        name: str,
        distribution: dict[str, Any] | None = None,
        overrides: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        return {
            "LaunchTemplate": {
                "LaunchTemplateSpecification": {"LaunchTemplateName": name, "Version": "$Latest"},
                "Overrides": overrides or [{"InstanceType": one} for one in TYPES],
            },
            "InstancesDistribution": SPOT_ONLY if distribution is None else distribution,
        }

    def described(self, name: str) -> dict[str, Any]:
        found = self.aws.client("autoscaling").describe_auto_scaling_groups(
            AutoScalingGroupNames=[name]
        )
        return found["AutoScalingGroups"][0]

    def states(self, name: str) -> dict[str, str]:
        """Lifecycle states by instance id."""
        return {
            one["InstanceId"]: one["LifecycleState"] for one in self.described(name)["Instances"]
        }

    def members(self, name: str) -> list[Member]:
        """As the played AWS itself keeps them."""
        backend = autoscaling_backends[ACCOUNT][REGION]
        return members(backend.autoscaling_groups[name])

    def instances(self, name: str) -> list[dict[str, Any]]:
        """Those that EC2 runs."""
        filters = [
            {"Name": "tag:aws:autoscaling:groupName", "Values": [name]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
        found = self.aws.client("ec2").describe_instances(Filters=filters)["Reservations"]
        return [instance for reservation in found for instance in reservation["Instances"]]

    def settle(self, later: float = 0) -> None:
        """A look at what is under way, as if so many seconds had passed."""
        scaling, follow = self.aws.eks_state.followers
        scaling(time.monotonic() + later)  # pyright: ignore[reportCallIssue]
        follow()

    def clear(self) -> None:
        for name in self.made:
            self.aws.client("autoscaling").delete_auto_scaling_group(
                AutoScalingGroupName=name, ForceDelete=True
            )


def hooked(groups: Groups, size: int, **changes: Any) -> str:
    """A group with the hook."""
    return groups.make(size, LifecycleHookSpecificationList=[HOOK], **changes)


def scaling(groups: Groups) -> Any:
    """The client of Auto Scaling."""
    return groups.aws.client("autoscaling")


def waiting(groups: Groups, name: str) -> list[str]:
    """Ids of the instances that wait in a hook."""
    return [one for one, state in groups.states(name).items() if state == WAITING]


def complete(groups: Groups, name: str, instance: str, **changes: Any) -> None:
    """Tell that an instance is drained."""
    arguments = {
        "AutoScalingGroupName": name,
        "LifecycleHookName": "drain",
        "InstanceId": instance,
        "LifecycleActionResult": "CONTINUE",
        **changes,
    }
    scaling(groups).complete_lifecycle_action(**arguments)


class Inbox:
    """A queue that a rule sends the events of some sources to."""

    def __init__(self, aws: Aws, pattern: dict[str, Any]) -> None:
        self._sqs = aws.client("sqs")
        name = f"events-{next(numbers)}"
        self._url = self._sqs.create_queue(QueueName=name)["QueueUrl"]
        arn = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])
        events = aws.client("events")
        events.put_rule(Name=name, EventPattern=json.dumps(pattern))
        target = {"Id": "queue", "Arn": arn["Attributes"]["QueueArn"]}
        events.put_targets(Rule=name, Targets=[target])

    def read(self) -> list[dict[str, Any]]:
        """All that came since the last time."""
        found: list[dict[str, Any]] = []
        while messages := self._sqs.receive_message(QueueUrl=self._url, MaxNumberOfMessages=10).get(
            "Messages"
        ):
            for message in messages:
                found.append(json.loads(message["Body"]))
                self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        return found
