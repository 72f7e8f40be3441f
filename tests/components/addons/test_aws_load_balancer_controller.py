import json
from pathlib import Path

import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components import versions
from components.addons.aws_load_balancer_controller import component as addon
from components.addons.aws_load_balancer_controller.config import AwsLoadBalancerControllerConfig
from components.addons.aws_load_balancer_controller.policy import POLICY, iam_policy
from components.location import Location
from components.placement import RunsOn
from tests.cluster_refs import given

UPSTREAM = Path(__file__).parents[2] / "data" / "aws-load-balancer-controller-3.5.0-iam-policy.json"
POLICY_LIMIT = 6144
"""Characters of a managed policy without white space (IAM and STS quotas)."""
OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
LOCATION = Location(region="eu-west-1", account="111122223333")
TAG = "elbv2.k8s.aws/cluster"

RELEASE = "kubernetes:helm.sh/v3:Release"
ACCOUNT = "kubernetes:core/v1:ServiceAccount"
INLINE = "aws:iam/rolePolicy:RolePolicy"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"


def controller(config=None, **args):
    """A program with the controller in a VPC of its own; `args` in place of the usual ones."""
    vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
    home = aws.sqs.Queue("home")  # stands for the pods' compute
    usual = {
        "config": AwsLoadBalancerControllerConfig(**(config or {})),
        "needs": [home],
        "vpc_id": vpc.id,
    }
    args = given(addon.AwsLoadBalancerControllerArgs, **(usual | args))
    return addon.AwsLoadBalancerController("lbc", args)


def on_fargate():
    controller({"default_tags": {"team": "platform", "cost centre": "42"}})


def on_nodes():
    controller({"node_selector": {"lifecycle": "OnDemand"}}, runs_on=RunsOn.NODES)


def with_one_replica():
    controller({"replicas": 1, "cpu": "1", "memory": "1Gi"})


def values(built):
    return built.one(RELEASE).inputs["values"]


def policy(**given):
    known = {"partition": "aws", "region": "eu-west-1", "cluster": "dev", "vpc_id": "vpc-1"}
    return iam_policy(**(known | given))


def upstream():
    return json.loads(UPSTREAM.read_text())["Statement"]


def as_said(condition):
    """Upstream's condition with "the tag exists" as "it names this cluster"."""
    said = {key: value for key, value in condition["Null"].items() if value == "true"}
    named = {key: "dev" for key, value in condition["Null"].items() if value == "false"}
    equals = {**condition.get("StringEquals", {}), **named}
    return {"StringEquals": equals} | ({"Null": said} if said else {})


@pytest.mark.feature("A2-22")
def test_the_policy_is_upstream_s_but_for_what_is_off_and_what_is_not_ours():
    ours, theirs = policy()["Statement"], upstream()

    pairs = enumerate(zip(ours, theirs, strict=True), start=1)
    changed = {position for position, (our, their) in pairs if our != their}
    assert changed == {3, 4, 6, 7, 8, 9, 11, 13, 14}
    assert ours[2] == theirs[2] | {
        "Action": [
            "acm:ListCertificates",
            "acm:DescribeCertificate",
            "iam:ListServerCertificates",
            "iam:GetServerCertificate",
        ]
    }
    vpc = {"ArnEquals": {"ec2:Vpc": "arn:aws:ec2:eu-west-1:*:vpc/vpc-1"}}
    assert ours[3] == theirs[3] | {"Condition": vpc}
    for i in (6, 7, 8, 9, 11, 13, 14):
        assert ours[i - 1] == theirs[i - 1] | {"Condition": as_said(theirs[i - 1]["Condition"])}


def test_it_may_not_touch_what_another_cluster_s_controller_has_made():
    deleting = [
        each["Condition"]
        for each in policy()["Statement"]
        if {"ec2:DeleteSecurityGroup", "elasticloadbalancing:DeleteLoadBalancer"}
        & {*each["Action"]}
    ]

    assert deleting == [{"StringEquals": {f"aws:ResourceTag/{TAG}": "dev"}}] * 2


def test_a_tag_may_be_added_later_but_not_the_one_that_says_whose_it_is():
    later = policy()["Statement"][6]

    assert later["Action"] == ["ec2:CreateTags", "ec2:DeleteTags"]
    assert later["Condition"] == {
        "StringEquals": {f"aws:ResourceTag/{TAG}": "dev"},
        "Null": {f"aws:RequestTag/{TAG}": "true"},
    }


@pytest.mark.feature("A2-22")
def test_what_it_cannot_work_without_is_in_its_policy():
    """Without the first there is no load balancer, without the second no change of one."""
    actions = {action for each in policy()["Statement"] for action in each["Action"]}

    assert "ec2:GetSecurityGroupsForVpc" in actions
    assert "elasticloadbalancing:DescribeListenerAttributes" in actions


@pytest.mark.feature("A2-22")
def test_every_arn_is_of_the_region_s_partition():
    text = json.dumps(policy(partition="aws-cn", region="cn-north-1"))

    assert "arn:aws:" not in text
    assert text.count("arn:aws-cn:") == UPSTREAM.read_text().count("arn:aws:") + 1
    assert "arn:aws-cn:ec2:cn-north-1:*:vpc/vpc-1" in text


@pytest.mark.feature("A2-22")
def test_the_policy_stays_below_aws_s_limit_for_the_longest_cluster_name():
    document = policy(cluster="c" * 100, vpc_id="vpc-0123456789abcdef0", partition="aws-us-gov")

    assert len(json.dumps(document, separators=(",", ":"))) < POLICY_LIMIT


@pytest.mark.feature("A2-22")
def test_the_policy_is_of_the_release_that_is_installed():
    assert POLICY.name == UPSTREAM.name
    assert POLICY.read_text() == UPSTREAM.read_text()
    assert addon.CHART.version == versions.AWS_LOAD_BALANCER_CONTROLLER_CHART


@pytest.mark.feature("A2-22", "A2-34")
def test_on_fargate_the_role_is_on_the_service_account_of_the_chart(once):
    built = once(on_fargate)

    role = built.one("aws:iam/role:Role")
    (trust,) = json.loads(role.inputs["assumeRolePolicy"])["Statement"]
    account, release = built.one(ACCOUNT).inputs["metadata"], built.one(RELEASE).inputs
    assert trust["Condition"]["StringEquals"] == {
        f"{OIDC}:aud": "sts.amazonaws.com",
        f"{OIDC}:sub": "system:serviceaccount:kube-system:aws-load-balancer-controller",
    }
    assert account == {
        "name": "aws-load-balancer-controller",
        "namespace": "kube-system",
        "annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/lbc-role"},
    }
    assert release["namespace"] == account["namespace"]
    assert release["values"]["serviceAccount"] == {"create": False, "name": account["name"]}
    assert built.every(ASSOCIATION) == []


@pytest.mark.feature("A2-22")
def test_on_nodes_the_role_comes_by_pod_identity(once):
    built = once(on_nodes)

    bound = built.one(ASSOCIATION).inputs
    assert (bound["clusterName"], bound["namespace"]) == ("dev", "kube-system")
    assert bound["serviceAccount"] == values(built)["serviceAccount"]["name"]
    assert bound["roleArn"] == "arn:aws:iam::111122223333:role/lbc-role"
    assert "annotations" not in built.one(ACCOUNT).inputs["metadata"]


@pytest.mark.feature("A2-22")
@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_the_role_has_the_policy_for_its_own_vpc_and_nothing_else(once, program):
    built = once(program)

    given = built.one(INLINE).inputs
    assert json.loads(given["policy"]) == policy(vpc_id="vpc-id")
    assert given["role"] == "lbc-role"
    assert built.every("aws:iam/rolePolicyAttachment:RolePolicyAttachment") == []


@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_its_pods_start_once_rights_account_and_compute_are_there(once, program):
    built = once(program)

    release = built.one(RELEASE)
    kinds = [INLINE, ACCOUNT, ASSOCIATION, "aws:sqs/queue:Queue"]
    needed = [each for kind in kinds for each in built.every(kind)]
    assert [each.urn for each in needed if not built.waits_for(release, each)] == []


@pytest.mark.feature("A2-35")
def test_it_need_not_ask_the_metadata_service_which_fargate_has_not(once):
    told = values(once(on_fargate))

    assert (told["region"], told["vpcId"]) == ("eu-west-1", "vpc-id")


@pytest.mark.behaviour("lbc-webhook-fails-closed")
def test_no_service_of_the_cluster_waits_for_it(once):
    assert values(once(on_fargate))["enableServiceMutatorWebhook"] is False


def test_an_upgrade_keeps_the_certificate_of_its_webhooks(once):
    assert values(once(on_fargate))["keepTLSSecret"] is True


@pytest.mark.feature("A2-37")
def test_targets_are_pods_by_their_addresses_unless_a_service_says_otherwise(once):
    assert values(once(on_fargate))["defaultTargetType"] == "ip"


def test_firewall_and_shield_are_off_as_they_are_in_the_policy(once):
    told = values(once(on_fargate))

    assert [told[f"enable{noun}"] for noun in ("Shield", "Waf", "Wafv2")] == [False] * 3
    actions = {action for each in policy()["Statement"] for action in each["Action"]}
    assert [each for each in actions if each.startswith(("shield:", "waf", "cognito"))] == []


@pytest.mark.feature("A2-36")
def test_it_takes_ingresses_of_the_class_that_its_chart_makes(once, upstream_values):
    chart = upstream_values("aws-load-balancer-controller")
    told = {**chart, **values(once(on_fargate))}

    assert told["ingressClass"] == addon.INGRESS_CLASS == "alb"
    assert told["createIngressClassResource"] is True


def test_a_drain_takes_one_of_two_pods_at_a_time_and_is_not_held_up_by_one(once):
    two, one = values(once(on_fargate)), values(once(with_one_replica))

    assert (two["replicaCount"], two["podDisruptionBudget"]) == (2, {"maxUnavailable": 1})
    assert one["replicaCount"] == 1
    assert "podDisruptionBudget" not in one


def test_load_balancers_carry_the_tags_of_the_stack_file(once):
    told = values(once(on_fargate))

    assert told["defaultTags"] == {"team": "platform", "cost centre": "42"}


@pytest.mark.parametrize("key", ["aws:cloudformation:stack-name", TAG, "service.k8s.aws/stack"])
def test_a_tag_that_somebody_else_sets_is_refused(key):
    with pytest.raises(ValidationError, match="or the controller sets itself: choose another name"):
        AwsLoadBalancerControllerConfig(default_tags={key: "x"})


@pytest.mark.parametrize("tags", [{"a,b": "x"}, {"a=b": "x"}, {"a": "x,y"}])
def test_a_tag_that_would_break_the_controller_s_one_list_of_tags_is_refused(tags):
    with pytest.raises(ValidationError, match="string_pattern_mismatch"):
        AwsLoadBalancerControllerConfig(default_tags=tags)


def test_it_says_which_service_of_aws_it_needs_a_way_to():
    assert AwsLoadBalancerControllerConfig.ENDPOINTS == ("elasticloadbalancing",)
