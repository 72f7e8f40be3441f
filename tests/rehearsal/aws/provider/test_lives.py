"""Every type of the table is created, read, changed and deleted against the played AWS."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from rehearsal.aws.resource_types import TYPES

TAGS = {"tags": {"kept": "1", "Taken.away": "2"}}
OTHER_TAGS = {"tags": {"kept": "1", "New": "3"}}
MANAGED = "arn:aws:iam::aws:policy"


def trust(service: str) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def policy(action: str) -> str:
    statement = {"Effect": "Allow", "Action": [action], "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


class World:
    """What other resources need, made when it is first asked for."""

    numbers = itertools.count(1)

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.made: list[Any] = []

    def make(self, token: str, props: dict[str, Any]) -> Any:
        made = self.engine.create(token, f"world-{next(self.numbers)}", props)
        self.made.append(made)
        return made

    def vpc(self) -> Any:
        return self.make("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"})

    def subnets(self) -> list[str]:
        vpc = self.vpc().id
        return [
            self.make(
                "aws:ec2/subnet:Subnet",
                {"vpcId": vpc, "cidrBlock": f"10.0.{i}.0/24", "availabilityZone": f"eu-west-1{z}"},
            ).id
            for i, z in enumerate("ab")
        ]

    def role(self, service: str, *policies: str) -> Any:
        role = self.make("aws:iam/role:Role", {"assumeRolePolicy": trust(service)})
        for name in policies:
            self.make(
                "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
                {"role": role.id, "policyArn": f"{MANAGED}/{name}"},
            )
        return role

    def group(self) -> str:
        vpc = self.vpc().id
        return self.make("aws:ec2/securityGroup:SecurityGroup", {"vpcId": vpc}).id

    def nat(self) -> str:
        eip = self.make("aws:ec2/eip:Eip", {"domain": "vpc"}).id
        subnet = self.subnets()[0]
        return self.make(
            "aws:ec2/natGateway:NatGateway", {"subnetId": subnet, "allocationId": eip}
        ).id

    def table(self, vpc: str | None = None) -> str:
        return self.make("aws:ec2/routeTable:RouteTable", {"vpcId": vpc or self.vpc().id}).id

    def queue(self) -> Any:
        return self.make("aws:sqs/queue:Queue", {})

    def key(self) -> Any:
        return self.make("aws:kms/key:Key", {})

    def rule(self) -> str:
        pattern = json.dumps({"source": ["aws.ec2"]})
        return self.make("aws:cloudwatch/eventRule:EventRule", {"eventPattern": pattern}).id

    def cluster_inputs(self) -> dict[str, Any]:
        role = self.role("eks.amazonaws.com", "AmazonEKSClusterPolicy")
        return {
            "name": f"cluster-{next(self.numbers)}",
            "version": "1.35",
            "roleArn": role.state["arn"],
            "vpcConfig": {"subnetIds": self.subnets(), "endpointPrivateAccess": True},
            "accessConfig": {
                "authenticationMode": "API",
                "bootstrapClusterCreatorAdminPermissions": False,
            },
            "bootstrapSelfManagedAddons": False,
            "upgradePolicy": {"supportType": "STANDARD"},
        }

    def cluster(self) -> tuple[str, list[str]]:
        inputs = self.cluster_inputs()
        cluster = self.make("aws:eks/cluster:Cluster", inputs)
        return cluster.id, inputs["vpcConfig"]["subnetIds"]

    def clear(self) -> None:
        while self.made:
            self.engine.delete(self.made.pop())


class Life(NamedTuple):
    """What a type is made with, and what is changed about it afterwards."""

    inputs: Callable[[World], dict[str, Any]]
    change: Callable[[World], dict[str, Any]] = lambda _: {}


def route(world: World) -> dict[str, Any]:
    vpc = world.vpc().id
    gateway = world.make("aws:ec2/internetGateway:InternetGateway", {"vpcId": vpc}).id
    table = world.table(vpc)
    return {"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway}


def association(world: World) -> dict[str, Any]:
    return {"routeTableId": world.table(), "subnetId": world.subnets()[0]}


def interface_endpoint(world: World) -> dict[str, Any]:
    vpc = world.vpc().id
    return {
        "vpcId": vpc,
        "serviceName": "com.amazonaws.eu-west-1.s3",
        "routeTableIds": [world.table(vpc)],
        **TAGS,
    }


def launch_template(world: World) -> dict[str, Any]:
    return {
        "imageId": "ami-12345678",
        "instanceType": "m5.large",
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {"encrypted": "true", "volumeSize": 20, "volumeType": "gp3"},
            }
        ],
        "vpcSecurityGroupIds": [world.group()],
        "tagSpecifications": [{"resourceType": "instance", "tags": {"Name": "a"}}],
        "updateDefaultVersion": True,
        "userData": "aGFsbG8=",
        **TAGS,
    }


def fargate_profile(world: World) -> dict[str, Any]:
    cluster, subnets = world.cluster()
    role = world.role("eks-fargate-pods.amazonaws.com", "AmazonEKSFargatePodExecutionRolePolicy")
    return {
        "clusterName": cluster,
        "podExecutionRoleArn": role.state["arn"],
        "selectors": [{"namespace": "kube-system", "labels": {"App.Kind": "Dns"}}],
        "subnetIds": subnets,
        **TAGS,
    }


def node_group(world: World) -> dict[str, Any]:
    cluster, subnets = world.cluster()
    policies = (
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonEC2ContainerRegistryPullOnly",
    )
    role = world.role("ec2.amazonaws.com", *policies)
    return {
        "clusterName": cluster,
        "nodeRoleArn": role.state["arn"],
        "subnetIds": subnets,
        "scalingConfig": {"minSize": 1, "maxSize": 3, "desiredSize": 1},
        "instanceTypes": ["m5.large"],
        "labels": {"Lifecycle": "OnDemand", "gone": "soon"},
        "taints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}],
        **TAGS,
    }


def access(world: World) -> dict[str, Any]:
    role = world.role("ec2.amazonaws.com").state["arn"]
    return {"clusterName": world.cluster()[0], "principalArn": role}


def access_policy(world: World) -> dict[str, Any]:
    entry = access(world)
    world.make("aws:eks/accessEntry:AccessEntry", entry)
    arn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    return {**entry, "policyArn": arn, "accessScope": {"type": "cluster"}}


def pod_identity(world: World) -> dict[str, Any]:
    return {
        "clusterName": world.cluster()[0],
        "namespace": "kube-system",
        "serviceAccount": "dns",
        "roleArn": pod_role(world),
        **TAGS,
    }


def pod_role(world: World) -> str:
    actions = trust("pods.eks.amazonaws.com").replace(
        '"sts:AssumeRole"', '["sts:AssumeRole", "sts:TagSession"]'
    )
    return world.make("aws:iam/role:Role", {"assumeRolePolicy": actions}).state["arn"]


HTTPS = {"protocol": "tcp", "fromPort": 443, "toPort": 443}
LIVES: dict[str, Life] = {
    "aws:ec2/vpc:Vpc": Life(
        lambda _: {"cidrBlock": "10.9.0.0/16", "enableDnsHostnames": True, **TAGS},
        lambda _: {"enableDnsHostnames": False, **OTHER_TAGS},
    ),
    "aws:ec2/subnet:Subnet": Life(
        lambda world: {"vpcId": world.vpc().id, "cidrBlock": "10.0.0.0/20", **TAGS},
        lambda _: {"mapPublicIpOnLaunch": True, **OTHER_TAGS},
    ),
    "aws:ec2/internetGateway:InternetGateway": Life(
        lambda world: {"vpcId": world.vpc().id, **TAGS},
        lambda world: {"vpcId": world.vpc().id, **OTHER_TAGS},
    ),
    "aws:ec2/eip:Eip": Life(lambda _: {"domain": "vpc", **TAGS}, lambda _: OTHER_TAGS),
    "aws:ec2/natGateway:NatGateway": Life(
        lambda world: {
            "subnetId": world.subnets()[0],
            "allocationId": world.make("aws:ec2/eip:Eip", {}).id,
            **TAGS,
        },
        lambda _: OTHER_TAGS,
    ),
    "aws:ec2/routeTable:RouteTable": Life(
        lambda world: {"vpcId": world.vpc().id, **TAGS}, lambda _: OTHER_TAGS
    ),
    "aws:ec2/route:Route": Life(
        route, lambda world: {"gatewayId": None, "natGatewayId": world.nat()}
    ),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": Life(
        association, lambda world: {"routeTableId": world.table()}
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": Life(interface_endpoint, lambda _: OTHER_TAGS),
    "aws:ec2/securityGroup:SecurityGroup": Life(
        lambda world: {
            "vpcId": world.vpc().id,
            "ingress": [{**HTTPS, "cidrBlocks": ["10.0.0.0/16"]}],
            "egress": [{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}],
            **TAGS,
        },
        lambda _: {
            "ingress": [{**HTTPS, "cidrBlocks": ["10.1.0.0/16", "10.0.0.0/16"]}],
            **OTHER_TAGS,
        },
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": Life(
        lambda world: {
            "securityGroupId": world.group(),
            "ipProtocol": "tcp",
            "fromPort": 80,
            "toPort": 80,
            "cidrIpv4": "10.0.0.0/8",
            **TAGS,
        },
        lambda _: {"toPort": 81, **OTHER_TAGS},
    ),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": Life(
        lambda world: {
            "securityGroupId": world.group(),
            "ipProtocol": "-1",
            "cidrIpv4": "0.0.0.0/0",
            "description": "out",
        },
        lambda _: {"description": "everywhere"},
    ),
    "aws:ec2/tag:Tag": Life(
        lambda world: {"resourceId": world.group(), "key": "Karpenter", "value": "one"},
        lambda _: {"value": "two"},
    ),
    "aws:ec2/launchTemplate:LaunchTemplate": Life(
        launch_template, lambda _: {"instanceType": "m5.xlarge", **OTHER_TAGS}
    ),
    "aws:iam/role:Role": Life(
        lambda _: {"assumeRolePolicy": trust("eks.amazonaws.com"), "description": "a", **TAGS},
        lambda _: {
            "assumeRolePolicy": trust("ec2.amazonaws.com"),
            "maxSessionDuration": 7200,
            "description": "b",
            **OTHER_TAGS,
        },
    ),
    "aws:iam/rolePolicy:RolePolicy": Life(
        lambda world: {"role": world.role("a.amazonaws.com").id, "policy": policy("s3:GetObject")},
        lambda _: {"policy": policy("s3:PutObject")},
    ),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": Life(
        lambda world: {
            "role": world.role("a.amazonaws.com").id,
            "policyArn": f"{MANAGED}/AmazonEKSClusterPolicy",
        }
    ),
    "aws:iam/policy:Policy": Life(
        lambda _: {"policy": policy("s3:GetObject"), **TAGS},
        lambda _: {"policy": policy("s3:PutObject"), **OTHER_TAGS},
    ),
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": Life(
        lambda _: {"url": "https://oidc.example.com/id/A", "clientIdLists": ["a"], **TAGS},
        lambda _: {"clientIdLists": ["a", "b"], **OTHER_TAGS},
    ),
    "aws:iam/instanceProfile:InstanceProfile": Life(
        lambda world: {"role": world.role("ec2.amazonaws.com").id, **TAGS},
        lambda world: {"role": world.role("ec2.amazonaws.com").id, **OTHER_TAGS},
    ),
    "aws:iam/serviceLinkedRole:ServiceLinkedRole": Life(
        lambda _: {"awsServiceName": "spot.amazonaws.com"}
    ),
    "aws:kms/key:Key": Life(
        lambda _: {"description": "a", "enableKeyRotation": True, **TAGS},
        lambda _: {"description": "b", "enableKeyRotation": False, **OTHER_TAGS},
    ),
    "aws:kms/alias:Alias": Life(
        lambda world: {"targetKeyId": world.key().state["arn"]},
        lambda world: {"targetKeyId": world.key().id},
    ),
    "aws:cloudwatch/eventRule:EventRule": Life(
        lambda _: {"eventPattern": json.dumps({"source": ["aws.ec2"]}), **TAGS},
        lambda _: {"eventPattern": json.dumps({"source": ["aws.health"]}), **OTHER_TAGS},
    ),
    "aws:cloudwatch/eventTarget:EventTarget": Life(
        lambda world: {"rule": world.rule(), "arn": world.queue().state["arn"]},
        lambda world: {"arn": world.queue().state["arn"]},
    ),
    "aws:cloudwatch/logGroup:LogGroup": Life(
        lambda _: {"name": "/aws/eks/life/cluster", "retentionInDays": 7, **TAGS},
        lambda _: {"retentionInDays": 14, **OTHER_TAGS},
    ),
    "aws:sqs/queue:Queue": Life(
        lambda _: {"messageRetentionSeconds": 300, "sqsManagedSseEnabled": True, **TAGS},
        lambda _: {"messageRetentionSeconds": 600, **OTHER_TAGS},
    ),
    "aws:sqs/queuePolicy:QueuePolicy": Life(
        lambda world: {"queueUrl": world.queue().id, "policy": policy("sqs:SendMessage")},
        lambda _: {"policy": policy("sqs:ReceiveMessage")},
    ),
    "aws:eks/cluster:Cluster": Life(
        lambda world: {
            **world.cluster_inputs(),
            "enabledClusterLogTypes": ["audit"],
            "deletionProtection": False,
            **TAGS,
        },
        lambda _: {"enabledClusterLogTypes": ["api"], **OTHER_TAGS},
    ),
    "aws:eks/addon:Addon": Life(
        lambda world: {
            "clusterName": world.cluster()[0],
            "addonName": "kube-proxy",
            "addonVersion": "v1.35.3-eksbuild.2",
            **TAGS,
        },
        lambda _: {"configurationValues": json.dumps({"mode": "ipvs"}), **OTHER_TAGS},
    ),
    "aws:eks/accessEntry:AccessEntry": Life(
        lambda world: {**access(world), "kubernetesGroups": ["readers"], **TAGS},
        lambda _: {"kubernetesGroups": ["readers", "writers"], **OTHER_TAGS},
    ),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": Life(access_policy),
    "aws:eks/fargateProfile:FargateProfile": Life(fargate_profile, lambda _: OTHER_TAGS),
    "aws:eks/nodeGroup:NodeGroup": Life(
        node_group,
        lambda _: {
            "scalingConfig": {"minSize": 1, "maxSize": 4, "desiredSize": 2},
            "labels": {"Lifecycle": "OnDemand"},
            **OTHER_TAGS,
        },
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": Life(
        pod_identity, lambda world: {"roleArn": pod_role(world), **OTHER_TAGS}
    ),
}


@pytest.fixture
def world(engine: Any) -> Iterator[World]:
    world = World(engine)
    yield world
    world.clear()


def test_every_type_of_the_table_has_a_life_here():
    assert LIVES.keys() == TYPES.keys()


def unchanged(engine: Any, made: Any, props: dict[str, Any]) -> bool:
    """Whether a preview shows nothing, before and after a refresh, which finds nothing either."""
    refreshed = engine.refresh(made)
    assert refreshed is not None
    assert refreshed.inputs == made.inputs
    assert refreshed.state == made.state
    answers = [engine.diff(made, props), engine.diff(refreshed, props)]
    assert [dict(answer.detailedDiff) for answer in answers] == [{}, {}]
    return all(answer.changes == pb.DiffResponse.DIFF_NONE for answer in answers)


@pytest.mark.parametrize("token", LIVES)
def test_a_resource_is_made_read_changed_and_deleted(engine: Any, world: World, token: str):
    life = LIVES[token]
    first = life.inputs(world)
    change = life.change(world)
    second = {key: value for key, value in (first | change).items() if value is not None}

    made = engine.create(token, "life", first)
    assert made.id
    assert unchanged(engine, made, first)
    if change:
        planned = engine.diff(made, second)
        assert planned.changes == pb.DiffResponse.DIFF_SOME
        assert set(planned.diffs) == change.keys()
        assert not planned.replaces
        made = engine.update(made, second)
        assert unchanged(engine, made, second)
    engine.delete(made, timeout=5)
    assert engine.refresh(made) is None
    engine.delete(made)  # a second time, as after a cancelled update
