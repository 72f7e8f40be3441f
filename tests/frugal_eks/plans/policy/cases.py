"""What the cases of the rules are made of, and what keeps each rule of single resources."""

import json
from typing import Any, NamedTuple

CLUSTER = "aws:eks/cluster:Cluster"
GROUP = "aws:autoscaling/group:Group"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
RELEASE = "kubernetes:helm.sh/v3:Release"
POLICY = "aws:iam/policy:Policy"
ROLE = "aws:iam/role:Role"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"


class Case(NamedTuple):
    """One resource of a program."""

    rule: str
    type: str
    inputs: dict[str, Any]
    told: str = ""
    """How what is told begins; empty: nothing."""


def cluster(vpc: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """One that keeps every rule, but for what is given; None takes a property away."""
    kept = {
        "version": "1.35",
        "encryptionConfig": {"provider": {"keyArn": "arn"}, "resources": ["secrets"]},
        "deletionProtection": True,
        "vpcConfig": {"endpointPublicAccess": False} if vpc is None else vpc,
    }
    return {key: value for key, value in (kept | more).items() if value is not None}


def statements(*given: dict[str, Any]) -> str:
    """A policy document."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(given)})


def allow(action: Any = "s3:GetObject", resource: Any = "*", **more: Any) -> dict[str, Any]:
    """A statement of a policy of who calls."""
    return {"Sid": "Given", "Effect": "Allow", "Action": action, "Resource": resource} | more


def trust(principal: Any, **more: Any) -> dict[str, Any]:
    """A statement of a policy of what is called."""
    return {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"} | more


def pods(image: str) -> dict[str, Any]:
    """A Deployment of one container."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": image}]}}}}


def volume(**ebs: Any) -> dict[str, Any]:
    """Block devices of a launch template."""
    return {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": ebs}]}


def amis(*terms: dict[str, Any]) -> dict[str, Any]:
    """A node class."""
    return {"spec": {"amiFamily": "AL2023", "amiSelectorTerms": list(terms)}}


MANAGED_GROUP = {"launchTemplate": {"id": "lt-1"}, "amiType": "AL2023_ARM_64_STANDARD"}
SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
OPEN = {"cidrIpv4": "0.0.0.0/0", "ipProtocol": "tcp"}
PUBLIC = {"endpointPublicAccess": True, "publicAccessCidrs": ["0.0.0.0/0"]}
OURS = {"endpointPublicAccess": True, "publicAccessCidrs": ["203.0.113.0/24"]}

KEPT = [
    Case("open-cluster-api", CLUSTER, cluster(OURS)),
    Case("public-cluster-api", CLUSTER, cluster()),
    Case("open-security-group", INGRESS, OPEN | {"fromPort": 443, "toPort": 443}),
    Case(
        "open-security-group",
        INGRESS,
        {"cidrIpv4": "10.0.0.0/8", "fromPort": 22, "toPort": 22, "ipProtocol": "tcp"},
    ),
    Case(
        "open-security-group",
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        {"type": "egress", "protocol": "-1", "cidrBlocks": ["0.0.0.0/0"]},
    ),
    Case("public-load-balancer", "aws:lb/loadBalancer:LoadBalancer", {"internal": True}),
    Case(
        "public-load-balancer",
        "kubernetes:core/v1:Service",
        {"metadata": {"annotations": {SCHEME: "internal"}}},
    ),
    Case("unpinned-chart", RELEASE, {"chart": "karpenter", "version": "1.14.1"}),
    Case("unpinned-chart", RELEASE, {"chart": "./charts/ours"}),
    Case("unpinned-ami", NODE_CLASS, amis({"alias": "al2023@v20260930"}, {"id": "ami-1"})),
    Case(
        "unpinned-ami",
        LAUNCH_TEMPLATE,
        volume(encrypted=True) | {"imageId": "resolve:ssm:/golden:7"},
    ),
    Case("unpinned-ami", MANAGED, MANAGED_GROUP | {"releaseVersion": "1.35.8-20260930"}),
    Case("unpinned-ami", MANAGED, {"launchTemplate": {"id": "with its own image"}}),
    Case("unpinned-image", DEPLOYMENT, pods("registry:5000/app:1.2")),
    Case("unpinned-image", DEPLOYMENT, pods("app@sha256:0123")),
    Case(
        "unpinned-image",
        RELEASE,
        {"chart": "x", "version": "1.0.0", "values": {"image": {"tag": "v1"}}},
    ),
    Case("unpinned-addon", "aws:eks/addon:Addon", {"addonVersion": "v1.35.3-eksbuild.29"}),
    Case("unpinned-kubernetes", CLUSTER, cluster()),
    Case("unencrypted-secrets", CLUSTER, cluster()),
    Case("unencrypted-volume", LAUNCH_TEMPLATE, volume(encrypted="true")),
    Case("unencrypted-volume", NODE_CLASS, amis({"alias": "al2023@v20260930"})),
    Case("unencrypted-volume", "aws:ec2/instance:Instance", {"launchTemplate": {"id": "lt-1"}}),
    Case("unencrypted-volume", "aws:ebs/volume:Volume", {"encrypted": True}),
    Case(
        "unencrypted-volume",
        "kubernetes:storage.k8s.io/v1:StorageClass",
        {"provisioner": "ebs.csi.aws.com", "parameters": {"encrypted": "true"}},
    ),
    Case(
        "unencrypted-volume",
        "kubernetes:storage.k8s.io/v1:StorageClass",
        {"provisioner": "efs.csi.aws.com"},
    ),
    Case("unencrypted-file-system", "aws:efs/fileSystem:FileSystem", {"encrypted": True}),
    Case("unencrypted-queue", "aws:sqs/queue:Queue", {}),
    Case(
        "unencrypted-queue",
        "aws:sqs/queue:Queue",
        {"sqsManagedSseEnabled": False, "kmsMasterKeyId": "alias/ours"},
    ),
    Case("unencrypted-log-group", "aws:cloudwatch/logGroup:LogGroup", {"kmsKeyId": "arn"}),
    Case("wildcard-iam", POLICY, {"policy": statements(allow("ec2:Describe*"))}),
    Case("wildcard-iam", POLICY, {"policy": statements(allow("s3:*", "arn:aws:s3:::ours/*"))}),
    Case("wildcard-iam", POLICY, {"policy": statements(allow("*", Effect="Deny"))}),
    Case(
        "wildcard-iam",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        {"policyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"},
    ),
    Case(
        "anyone-trusted",
        ROLE,
        {"assumeRolePolicy": statements(trust({"Service": "eks.amazonaws.com"}))},
    ),
    Case(
        "anyone-trusted",
        "aws:sqs/queuePolicy:QueuePolicy",
        {"policy": statements(trust("*", Condition={"ArnEquals": {"aws:SourceArn": "arn"}}))},
    ),
    Case("anyone-trusted", "aws:kms/key:Key", {}),
    Case("deletion-protection", CLUSTER, cluster()),
    Case("deletion-protection", "aws:rds/instance:Instance", {"deletionProtection": True}),
]
