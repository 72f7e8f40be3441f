"""Every type of the table is created, read, changed and deleted against the played AWS."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from rehearsal.aws.resource_types import TYPES
from tests.rehearsal.aws.provider.world import (
    MANAGED,
    OTHER_TAGS,
    TAGS,
    World,
    access,
    access_policy,
    association,
    auto_scaling_group,
    fargate_profile,
    instance,
    interface_endpoint,
    launch_template,
    lifecycle_hook,
    mount_target,
    network_interface,
    node_group,
    pod_identity,
    pod_role,
    policy,
    route,
    trust,
)


class Life(NamedTuple):
    """What a type is made with, and what is changed about it afterwards."""

    inputs: Callable[[World], dict[str, Any]]
    change: Callable[[World], dict[str, Any]] = lambda _: {}


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
    "aws:ec2/eip:Eip": Life(
        lambda world: {"domain": "vpc", "networkInterface": world.interface(), **TAGS},
        lambda world: {"networkInterface": world.interface(), **OTHER_TAGS},
    ),
    "aws:ec2/networkInterface:NetworkInterface": Life(
        network_interface,
        lambda world: {
            "securityGroups": [world.group()],
            "sourceDestCheck": True,
            "description": "another",
            **OTHER_TAGS,
        },
    ),
    "aws:ec2/instance:Instance": Life(
        instance,
        lambda world: {
            "instanceType": "t4g.micro",
            "iamInstanceProfile": world.make(
                "aws:iam/instanceProfile:InstanceProfile",
                {"role": world.role("ec2.amazonaws.com").id},
            ).id,
            "vpcSecurityGroupIds": [world.group()],
            "metadataOptions": {"httpTokens": "optional", "httpPutResponseHopLimit": 2},
            "rootBlockDevice": {"encrypted": True, "volumeType": "gp3", "volumeSize": 16},
            "userData": "#!/bin/sh\necho welt",
            **OTHER_TAGS,
        },
    ),
    "aws:autoscaling/group:Group": Life(
        auto_scaling_group,
        lambda _: {
            "maxSize": 3,
            "desiredCapacity": 3,
            "healthCheckGracePeriod": 120,
            "tags": [{"key": "Name", "value": "other", "propagateAtLaunch": True}],
        },
    ),
    "aws:autoscaling/lifecycleHook:LifecycleHook": Life(
        lifecycle_hook, lambda _: {"heartbeatTimeout": 120, "defaultResult": "ABANDON"}
    ),
    "aws:efs/fileSystem:FileSystem": Life(
        lambda _: {
            "encrypted": True,
            "throughputMode": "elastic",
            "lifecyclePolicies": [
                {"transitionToIa": "AFTER_30_DAYS"},
                {"transitionToPrimaryStorageClass": "AFTER_1_ACCESS"},
            ],
            **TAGS,
        },
        lambda _: {"throughputMode": "bursting", "lifecyclePolicies": None, **OTHER_TAGS},
    ),
    "aws:efs/mountTarget:MountTarget": Life(
        mount_target, lambda world: {"securityGroups": [world.group()]}
    ),
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
