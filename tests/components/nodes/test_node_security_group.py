import re

import pytest

from components.cluster.cluster import Cluster, ClusterArgs
from components.cluster.cluster_config import ClusterConfig, EndpointConfig
from components.location import Location
from components.nodes.managed import ManagedNodeGroup, ManagedNodeGroupArgs
from components.nodes.managed_config import ManagedNodeGroupConfig
from components.nodes.node_security_group import NodeSecurityGroup, NodeSecurityGroupArgs
from components.nodes.node_security_group_config import NodeSecurityGroupConfig
from rehearsal.recording.account import IMAGES

ACCOUNT = "111122223333"
LOCATION = Location(region="eu-west-1", account=ACCOUNT)
GROUP = "aws:ec2/securityGroup:SecurityGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
TAG = "aws:ec2/tag:Tag"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
MARK = "karpenter.sh/discovery"
EVERYTHING = ("-1", None, None)
ANY_PORTS = (80, 1025, 8080, 65535)


@pytest.fixture
def deploy(deploy, account):
    """In an account to which AWS publishes every image."""
    return lambda program, answers=account | IMAGES, **how: deploy(program, answers, **how)


def whole(**settings):
    """Cluster, group, and a node group in it, as the platform puts them together."""
    config = ClusterConfig(
        name="dev",
        version="1.35",
        endpoint=EndpointConfig(),
        admins=(f"arn:aws:iam::{ACCOUNT}:role/platform-admin",),
    )
    cluster = Cluster(
        "cluster",
        ClusterArgs(
            config=config,
            location=LOCATION,
            vpc_id="vpc-1",
            subnet_ids=["subnet-a", "subnet-b"],
            discovery_tag=False,
        ),
    )
    group = NodeSecurityGroup(
        "nodes",
        NodeSecurityGroupArgs(
            config=NodeSecurityGroupConfig(**settings),
            cluster=cluster.ref,
            vpc_id="vpc-1",
        ),
    )
    nodes = {
        "instanceTypes": ["m7i.large"],
        "releaseVersion": "1.35.8-20260930",
        "size": {"min": 1, "max": 3},
    }
    ManagedNodeGroup(
        "base",
        ManagedNodeGroupArgs(
            autoscaled=False,
            config=ManagedNodeGroupConfig.model_validate(nodes),
            cluster=cluster.ref,
            subnet_ids=["subnet-a", "subnet-b"],
            needs=[],
            security_group_ids=[group.security_group_id],
        ),
    )


def by_default():
    whole()


def names_alone():
    whole(between_fargate_and_nodes="dns")


def allowed(built, source, target):
    """Protocol and ports of each rule that lets `source` into `target`."""
    return {
        tuple(rule.inputs.get(key) for key in ("ipProtocol", "fromPort", "toPort"))
        for rule in built.every(INGRESS)
        if rule.inputs["referencedSecurityGroupId"] == source
        and rule.inputs["securityGroupId"] == target
    }


def reaches(built, source, target, protocol, port):
    """Whether a conversation may begin."""
    return any(
        rule == EVERYTHING or (rule[0] == protocol and rule[1] <= port <= rule[2])
        for rule in allowed(built, source, target)
    )


@pytest.mark.feature("B-12")
@pytest.mark.parametrize("program", [by_default, names_alone])
@pytest.mark.parametrize("port", [443, 4443, 8443, 9443, 10250, 10251, 53])
def test_the_control_plane_reaches_webhooks_metrics_kubelets_and_names_on_nodes(
    once, program, port
):
    built = once(program)

    assert ("tcp", port, port) in allowed(built, "sg-cluster", "nodes-id")


@pytest.mark.feature("B-12", "C-12")
@pytest.mark.parametrize("program", [by_default, names_alone])
def test_nodes_reach_the_api_fargate_s_kubelets_and_each_other(once, program):
    built = once(program)

    assert {("tcp", 443, 443), ("tcp", 10250, 10250)} <= allowed(built, "nodes-id", "sg-cluster")
    assert allowed(built, "nodes-id", "nodes-id") == {EVERYTHING}


@pytest.mark.feature("C-12")
@pytest.mark.parametrize("program", [by_default, names_alone])
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_names_are_resolved_in_both_directions(once, program, protocol):
    built = once(program)

    assert (protocol, 53, 53) in allowed(built, "sg-cluster", "nodes-id")
    assert (protocol, 53, 53) in allowed(built, "nodes-id", "sg-cluster")


@pytest.mark.feature("C-12")
@pytest.mark.parametrize(("program", "talk"), [(by_default, True), (names_alone, False)])
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
@pytest.mark.parametrize("port", ANY_PORTS)
def test_pods_on_fargate_and_pods_on_nodes_talk_where_the_setting_says_so(
    once, program, talk, protocol, port
):
    built = once(program)

    assert reaches(built, "sg-cluster", "nodes-id", protocol, port) is talk
    assert reaches(built, "nodes-id", "sg-cluster", protocol, port) is talk


@pytest.mark.feature("C-12")
def test_without_the_section_all_share_the_group_that_eks_makes(platform):
    built = platform()

    assert [d for d in built.declared if "securityGroup" in d.request.type] == []
    assert [tag.inputs["resourceId"] for tag in built.every(TAG)] == ["sg-cluster"]


@pytest.mark.feature("C-12")
def test_one_group_has_the_discovery_tag_and_none_of_ours_the_cluster_s(once):
    built = once(by_default)

    group = built.one(GROUP)
    assert group.inputs["tags"] == {"Name": "dev-nodes", MARK: "dev"}
    # EKS puts `kubernetes.io/cluster/dev` on its own group; a tag beside it would be ours.
    assert built.every(TAG) == []
    tagged = [d for d in built.declared if "kubernetes.io/cluster" in str(d.inputs.get("tags"))]
    assert [d.request.type for d in tagged] == [
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
    ]


@pytest.mark.feature("C-12")
def test_nodes_of_a_managed_group_are_in_this_group_alone_once_its_rules_are_there(once):
    built = once(by_default)

    template = built.one(TEMPLATE)
    assert template.inputs["vpcSecurityGroupIds"] == ["nodes-id"]
    for rule in (*built.every(INGRESS), *built.every(EGRESS)):
        assert built.waits_for(template, rule)


def test_nodes_reach_whatever_is_outside(once):
    assert once(by_default).one(EGRESS).inputs == {
        "securityGroupId": "nodes-id",
        "description": "Everything",
        "ipProtocol": "-1",
        "cidrIpv4": "0.0.0.0/0",
    }


def test_groups_can_be_deleted_since_no_rule_is_part_of_one(once):
    group = once(by_default).one(GROUP)

    assert not {"ingress", "egress"} & group.inputs.keys()


def test_no_two_rules_are_the_same_to_aws_and_each_says_what_it_is_for(once):
    built = once(by_default)

    keys = ("securityGroupId", "referencedSecurityGroupId", "ipProtocol", "fromPort", "toPort")
    rules = [tuple(rule.inputs.get(key) for key in keys) for rule in built.every(INGRESS)]
    assert len(set(rules)) == len(rules)
    for rule in built.every(INGRESS):
        # What AWS takes in a description (AuthorizeSecurityGroupIngress).
        assert re.fullmatch(r"[\w ._:/()#,@\[\]+=&;{}!$*-]{1,255}", rule.inputs["description"])


def test_a_preview_shows_what_an_update_makes(once):
    assert once(by_default, preview=True).tree() == once(by_default).tree()
