"""What the cases of the rules are made of."""

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
