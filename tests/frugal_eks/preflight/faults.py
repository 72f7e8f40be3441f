"""What an account can lack, one thing at a time."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from moto.iam.models import iam_backends

from frugal_eks.preflight.machine import Machine
from tests.frugal_eks.preflight.conftest import ACCOUNT, REGION, TRUST, Played, PlayedMachine

Change = tuple[str, str]
BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/boundary"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/11111111-2222-3333-4444-555555555555"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that would stop `up`, and the lines that tell it."""

    name: str
    lines: tuple[str, ...]
    """Names of the checks that fail."""
    remedy: str
    """A part of the first one's remedy."""
    stack: str = "nodeless"
    changes: tuple[Change, ...] = ()
    """Patterns and what replaces them in the stack file."""
    prepare: Callable[[Played], object] = lambda _: None
    machine: Machine = field(default_factory=PlayedMachine)
    arguments: tuple[str, ...] = ()
    behaviours: tuple[str, ...] = ()


def key_of(top: str, value: str) -> Change:
    """One more section of the stack file."""
    return (r"config:\n", f"config:\n  frugal-eks:{top}: {value}\n")


def quota(code: str, value: float) -> Callable[[Played], object]:
    def prepare(account: Played) -> None:
        account.quotas[code] = value

    return prepare


def summary(**values: int) -> Callable[[Played], object]:
    """IAM's own limits, which are no matter of Service Quotas' values."""

    def prepare(_: Played) -> None:
        known: Any = iam_backends[ACCOUNT]["aws"].account_summary
        for key, value in values.items():
            assert hasattr(known, key)
            setattr(known, key, value)

    return prepare


def five_addresses(account: Played) -> None:
    ec2 = account.client("ec2")
    for _ in range(5):
        ec2.allocate_address(Domain="vpc")


def other_version(account: Played) -> None:
    known: Any = account.eks.addon_versions
    del known["1.35"]


def other_build(account: Played) -> None:
    known: Any = account.eks.addon_versions
    known["1.35"] = {**known["1.35"], "coredns": ["v1.13.9-eksbuild.1"]}


def in_us_east_1(account: Played) -> None:
    """Whose letters moto maps to zone ids as one real account has them: 1e is use1-az3."""
    account.eks.account.region = "us-east-1"


def second_zone(account: Played) -> None:
    route53 = account.client("route53")
    route53.create_hosted_zone(Name="example.com", CallerReference="2")


def no_zone(account: Played) -> None:
    route53 = account.client("route53")
    (zone,) = route53.list_hosted_zones()["HostedZones"]
    route53.delete_hosted_zone(Id=zone["Id"])


def admin_with_path(account: Played) -> None:
    account.client("iam").create_role(
        RoleName="ops", Path="/teams/", AssumeRolePolicyDocument=TRUST
    )


def running(account: Played, **more: Any) -> str:
    ec2 = account.client("ec2")
    image = ec2.register_image(Name="node")["ImageId"]
    made = ec2.run_instances(
        ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.4xlarge", **more
    )
    return made["Instances"][0]["InstanceId"]


def fargate_in_use(account: Played) -> None:
    names = {"Service": "Fargate", "Type": "Resource", "Resource": "vCPU"}
    names["Class"] = "Standard/OnDemand"
    account.client("cloudwatch").put_metric_data(
        Namespace="AWS/Usage",
        MetricData=[
            {
                "MetricName": "ResourceCount",
                "Dimensions": [{"Name": key, "Value": value} for key, value in names.items()],
                "Value": 62,
            }
        ],
    )


def played_cluster(account: Played, name: str = "nodeless") -> None:
    """A cluster that somebody made, with what this program asks of an existing one."""
    ec2, iam, eks = (account.client(each) for each in ("ec2", "iam", "eks"))
    trust = TRUST.replace(f'"AWS": "arn:aws:iam::{ACCOUNT}:root"', '"Service": "eks.amazonaws.com"')
    role = iam.create_role(RoleName="eks", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    policy = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
    iam.attach_role_policy(RoleName="eks", PolicyArn=policy)
    subnets = ec2.describe_subnets()["Subnets"][:2]
    eks.create_cluster(
        name=name,
        version="1.35",
        roleArn=role,
        resourcesVpcConfig={"subnetIds": [each["SubnetId"] for each in subnets]},
        accessConfig={"authenticationMode": "API"},
        bootstrapSelfManagedAddons=False,
    )
    eks.create_addon(clusterName=name, addonName="eks-pod-identity-agent")


def disabled_key(account: Played) -> str:
    kms = account.client("kms")
    made = kms.create_key()["KeyMetadata"]
    kms.disable_key(KeyId=made["KeyId"])
    return made["Arn"]


def instance_group(account: Played) -> None:
    ec2, autoscaling = account.client("ec2"), account.client("autoscaling")
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    image = ec2.register_image(Name="node")["ImageId"]
    made = ec2.create_launch_template(
        LaunchTemplateName="t", LaunchTemplateData={"ImageId": image, "InstanceType": "m5.large"}
    )
    template = {"LaunchTemplateId": made["LaunchTemplate"]["LaunchTemplateId"]}
    autoscaling.create_auto_scaling_group(
        AutoScalingGroupName="spot-ng-spot",
        MinSize=0,
        MaxSize=0,
        LaunchTemplate=template,
        VPCZoneIdentifier=subnet,
    )


EXISTING = (
    r"(?s)  frugal-eks:cluster:.*",
    "  frugal-eks:cluster: {existing: shared}\n  frugal-eks:addons: {metricsServer: {}}\n",
)
"""The stack on a cluster that exists."""

QUOTAS = [
    Fault(name="VPCs", lines=("VPCs",), remedy="--quota-code L-F678F1CE --desired-value 2",
          prepare=quota("L-F678F1CE", 1), behaviours=("eip-and-vpc-quota",)),
    Fault(name="five addresses", lines=("Elastic IPs",), remedy="--desired-value 6",
          prepare=five_addresses, behaviours=("eip-and-vpc-quota",)),
    Fault(name="internet gateways", lines=("internet gateways",), remedy="L-A4707A72",
          prepare=quota("L-A4707A72", 0), behaviours=("eip-and-vpc-quota",)),
    Fault(name="NAT gateways", lines=(f"NAT gateways in {REGION}a",), remedy="L-FE5A380F",
          prepare=quota("L-FE5A380F", 0), behaviours=("eip-and-vpc-quota",)),
    Fault(name="addresses for each zone", lines=("Elastic IPs",), remedy="--desired-value 3",
          changes=(("natGateways: single", "natGateways: perZone"),),
          prepare=quota("L-0263D0A3", 2), behaviours=("eip-and-vpc-quota",)),
    Fault(name="gateway endpoints", lines=("gateway endpoints",), remedy="L-1B52E74A",
          prepare=quota("L-1B52E74A", 0)),
    Fault(name="interface endpoints", lines=("interface endpoints",), remedy="L-29B6F2EB",
          changes=(("availabilityZones: 3", "interfaceEndpoints: [ec2, sts]"),),
          prepare=quota("L-29B6F2EB", 1)),
    Fault(name="security groups", lines=("security groups",), remedy="L-E79EC296",
          prepare=quota("L-E79EC296", 2), behaviours=("security-group-quotas",)),
    Fault(name="security group rules", lines=("ingress rules of a security group",),
          remedy="L-0EA8095F", changes=(key_of("nodeSecurityGroup", "{}"),),
          prepare=quota("L-0EA8095F", 3), behaviours=("security-group-quotas",)),
    Fault(name="clusters", lines=("clusters",), remedy="L-1194D53C",
          prepare=quota("L-1194D53C", 0)),
    Fault(name="public ranges", lines=("publicCidrs",), remedy="L-93A74D60",
          changes=((r"203.0.113.0/24", "203.0.113.0/24, 198.51.100.0/24"),),
          prepare=quota("L-93A74D60", 1)),
    Fault(name="node groups", stack="spot", lines=("node groups",), remedy="L-6D54EA21",
          prepare=quota("L-6D54EA21", 0)),
    Fault(name="nodes of a group", stack="spot", lines=("nodes of a node group",),
          remedy="L-BD136A63", prepare=quota("L-BD136A63", 3)),
    Fault(name="vCPUs on demand", stack="spot", lines=("vCPUs on demand, standard",),
          remedy="L-1216C47A --desired-value 6", prepare=quota("L-1216C47A", 5),
          behaviours=("spot-vcpu-quota",)),
    Fault(name="vCPUs on spot", stack="spot", lines=("vCPUs on spot, standard",),
          remedy="L-34B43A08 --desired-value 4", prepare=quota("L-34B43A08", 3),
          behaviours=("spot-vcpu-quota",)),
    Fault(name="vCPUs on spot for Karpenter", lines=("vCPUs on spot, standard",),
          remedy="L-34B43A08", prepare=quota("L-34B43A08", 1), behaviours=("spot-vcpu-quota",)),
    Fault(name="vCPUs in use", stack="spot", lines=("vCPUs on demand, standard",),
          remedy="--desired-value 22",
          prepare=lambda account: (quota("L-1216C47A", 20)(account), running(account)),
          behaviours=("spot-vcpu-quota",)),
    Fault(name="vCPUs of Fargate", lines=("Fargate vCPUs",), remedy="L-3032A538",
          prepare=quota("L-3032A538", 2), behaviours=("fargate-quota-and-capacity",)),
    Fault(name="vCPUs of Fargate in use", lines=("Fargate vCPUs",), remedy="L-3032A538",
          prepare=fargate_in_use, behaviours=("fargate-quota-and-capacity",)),
    Fault(name="Fargate profiles", lines=("Fargate profiles",), remedy="L-33415657",
          prepare=quota("L-33415657", 1), behaviours=("fargate-profile-quota",)),
    Fault(name="Fargate selectors", lines=("selectors of a Fargate profile",),
          remedy="L-D78D8AF8", prepare=quota("L-D78D8AF8", 0),
          behaviours=("fargate-profile-quota",)),
    Fault(name="Fargate labels", lines=("labels of a Fargate selector",), remedy="L-23414FF3",
          changes=((r"\{namespace: kube-system\}",
                    "{namespace: kube-system}, {namespace: batch, labels: {a: b, c: d}}"),),
          prepare=quota("L-23414FF3", 1), behaviours=("fargate-profile-quota",)),
    Fault(name="OIDC providers", lines=("OIDC providers",), remedy="--region us-east-1",
          prepare=quota("L-858F3967", 0), behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="roles", lines=("IAM roles",), remedy="ask for more",
          prepare=summary(_roles_quota=5), behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="policies", lines=("IAM policies",), remedy="ask for more",
          prepare=summary(_policies_quota=5), behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="instance profiles", stack="spot", lines=("instance profiles",),
          remedy="ask for more", prepare=summary(_instance_profiles_quota=0),
          behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="policies of a role", lines=("managed policies of a role",), remedy="drop",
          prepare=summary(_attached_policies_per_role_quota=5),
          behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="size of a policy", lines=("characters of a managed policy",), remedy="drop",
          prepare=summary(_policy_size_quota=1000), behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="size of a role's policies", lines=("characters of a role's own policies",),
          remedy="drop", prepare=summary(_role_policy_size_quota=1000),
          behaviours=("iam-role-and-policy-quotas",)),
    Fault(name="size of a trust policy", lines=("characters of a trust policy",), remedy="drop",
          prepare=summary(_assume_role_policy_size_quota=100),
          behaviours=("iam-role-and-policy-quotas",)),
]  # fmt: skip

WHAT_AWS_OFFERS = [
    Fault(name="zone without EKS", lines=("zone us-east-1e",),
          remedy="network.availabilityZones: us-east-1a, us-east-1b",
          changes=(("aws:region: eu-west-1", "aws:region: us-east-1"),
                   ("availabilityZones: 3", "availabilityZones: [us-east-1a, us-east-1e]")),
          prepare=in_us_east_1, behaviours=("cluster-zone-not-supported",)),
    Fault(name="zone that is not there", lines=(f"zone {REGION}d",),
          remedy=f"network.availabilityZones: {REGION}a",
          changes=(("availabilityZones: 3", f"availabilityZones: [{REGION}a, {REGION}d]"),)),
    Fault(name="types", stack="spot", lines=("instance types of base",), remedy="name types",
          changes=((r"instanceTypes: \[m6a.*?\]", "instanceTypes: [c8id.large]"),)),
    Fault(name="image of a node class", lines=("node image",),
          remedy="frugal-eks images --kubernetes 1.35",
          changes=((r"al2023@v\d+", "al2023@v20260231"),)),
    Fault(name="image of a managed group", stack="consolidation", lines=("node image",),
          remedy="frugal-eks images --kubernetes 1.35",
          changes=((r"releaseVersion: \S+", "releaseVersion: 1.35.0-20260231"),)),
    Fault(name="release that goes with another date", stack="consolidation",
          lines=("node image",), remedy="set releaseVersion: 1.35.",
          changes=((r"releaseVersion: 1\.35\.\d+", "releaseVersion: 1.35.99"),)),
    Fault(name="version", lines=("Kubernetes version", *4 * ["add-on"]), remedy="1.33, 1.34, 1.36",
          prepare=other_version),
    Fault(name="build of an add-on", lines=("add-on coredns",), remedy="v1.13.9-eksbuild.1",
          prepare=other_build),
]  # fmt: skip

WHAT_IS_NAMED = [
    Fault(name="no hosted zone", lines=("hosted zone example.com",), remedy="make it",
          prepare=no_zone),
    Fault(name="two hosted zones", lines=("hosted zone example.com",), remedy="correct",
          prepare=second_zone),
    Fault(name="administrator", lines=("administrator",), remedy="correct cluster.admins",
          changes=((r"role/platform-admin\]",
                    f"role/platform-admin, arn:aws:iam::{ACCOUNT}:user/ann]"),)),
    Fault(name="administrator's path", lines=("administrator",), remedy="role/teams/ops",
          changes=((r"role/platform-admin\]",
                    f"role/platform-admin, arn:aws:iam::{ACCOUNT}:role/ops]"),),
          prepare=admin_with_path),
    Fault(name="KMS key", lines=("KMS key",), remedy="correct kmsKeyArn",
          changes=(("    deletionProtection", f"    kmsKeyArn: {KEY}\n    deletionProtection"),)),
    Fault(name="permissions boundary", lines=("permissions boundary",), remedy="make it",
          changes=(key_of("roles", f"{{permissionsBoundary: '{BOUNDARY}'}}"),)),
    Fault(name="key pair", lines=("key pair",), remedy="correct bastion",
          changes=(key_of("bastion", "{ssh: {keyName: mine, cidr: 203.0.113.7/32}}"),)),
    Fault(name="subnets", lines=("program",), remedy="program",
          changes=((r"(?s)  frugal-eks:network:.*?(?=  frugal-eks:)",
                    "  frugal-eks:network: {vpcId: vpc-0123456789abcdef0, privateSubnetIds: "
                    "[subnet-0123456789abcdef0, subnet-0123456789abcdef1]}\n"),)),
]  # fmt: skip

NAMES = [
    Fault(name="cluster", lines=("cluster nodeless",), remedy="--update",
          prepare=played_cluster),
    Fault(name="queue", lines=("queue nodeless",), remedy="sweep",
          prepare=lambda account: account.client("sqs").create_queue(QueueName="nodeless")),
    Fault(name="role", lines=("role nodeless-karpenter",), remedy="cluster.name",
          prepare=lambda account: account.client("iam").create_role(
              RoleName="nodeless-karpenter", AssumeRolePolicyDocument=TRUST)),
    Fault(name="policy", lines=("policy KarpenterControllerInterruptionPolicy-nodeless",),
          remedy="cluster.name",
          prepare=lambda account: account.client("iam").create_policy(
              PolicyName="KarpenterControllerInterruptionPolicy-nodeless",
              PolicyDocument=TRUST.replace(
                  f'"Principal": {{"AWS": "arn:aws:iam::{ACCOUNT}:root"}}', '"Resource": "*"'))),
    Fault(name="group", stack="spot", lines=("Auto Scaling group spot-ng-spot",),
          remedy="cluster.name", prepare=instance_group),
]  # fmt: skip

HERE = [
    Fault(name="no CLI", lines=("aws CLI",), remedy="install", machine=PlayedMachine(cli=None)),
    Fault(name="old CLI", lines=("aws CLI",), remedy="update",
          machine=PlayedMachine(cli="aws-cli/2.6.9 Python/3.9")),
    Fault(name="old CLI of the first generation", lines=("aws CLI",), remedy="update",
          machine=PlayedMachine(cli="aws-cli/1.23.99 Python/3.9")),
    Fault(name="clock", lines=("clock",), remedy="NTP",
          machine=PlayedMachine(ahead=datetime.timedelta(minutes=10)),
          behaviours=("clock-skew",)),
    Fault(name="session", lines=("session",), remedy="log in again",
          machine=PlayedMachine(variables={"AWS_CREDENTIAL_EXPIRATION": "2026-01-01T00:00:00Z"}),
          behaviours=("credentials-expire-mid-run",)),
    Fault(name="address", lines=("endpoint access",), remedy="198.51.100.9/32",
          machine=PlayedMachine(address="198.51.100.9")),
    Fault(name="endpoint", lines=("endpoint",), remedy="VPN", changes=(EXISTING,),
          prepare=lambda account: played_cluster(account, "shared"),
          machine=PlayedMachine(unreachable="timed out")),
    Fault(name="endpoint of a stack that is up", lines=("endpoint",), remedy="VPN",
          prepare=played_cluster, arguments=("--update",),
          machine=PlayedMachine(unreachable="timed out")),
    Fault(name="no cluster of the name", lines=("program", "endpoint"), remedy="program",
          changes=(EXISTING,)),
]  # fmt: skip

FAULTS = [
    pytest.param(
        fault,
        id=fault.name,
        marks=[pytest.mark.behaviour(*fault.behaviours)] if fault.behaviours else [],
    )
    for fault in (*QUOTAS, *WHAT_AWS_OFFERS, *WHAT_IS_NAMED, *NAMES, *HERE)
]
