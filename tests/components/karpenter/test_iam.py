import json
import re
from pathlib import Path

import pytest

from components import versions
from components.karpenter.iam import controller_policies, policy_name
from components.karpenter.node_classes import ExtraRights
from components.location import Location

POLICY_LIMIT = 6144
"""Characters of a managed policy, white space not counted (IAM and STS quotas)."""
POLICIES_OF_A_ROLE = 10
"""Managed policies that one role may have (IAM and STS quotas)."""
LOCATIONS = [
    Location(region=region, account="111122223333")
    for region in ("eu-west-1", "ap-southeast-1", "cn-northwest-1", "us-gov-west-1")
]
IN_THE_TEMPLATE = {
    "node-lifecycle": "NodeLifecyclePolicy",
    "iam-integration": "IAMIntegrationPolicy",
    "eks-integration": "EKSIntegrationPolicy",
    "interruption": "InterruptionPolicy",
    "zonal-shift": "ZonalShiftPolicy",
    "resource-discovery": "ResourceDiscoveryPolicy",
}
everywhere = pytest.mark.parametrize("location", LOCATIONS, ids=lambda location: location.region)


def policies(location, cluster="dev", *, node_role="arn of the node role", extra=None):
    return controller_policies(
        location=location,
        cluster=cluster,
        node_role_arn=node_role,
        queue_arn="arn of the queue",
        extra=extra,
    )


@pytest.mark.feature("A2-12")
def test_there_is_a_policy_for_each_of_upstream_s_and_no_other(upstream):
    template = upstream(LOCATIONS[0], "dev")

    kind = "AWS::IAM::ManagedPolicy"
    assert [name for name, each in template.items() if each["Type"] == kind] == list(
        IN_THE_TEMPLATE.values()
    )
    assert list(policies(LOCATIONS[0])) == list(IN_THE_TEMPLATE)


@pytest.mark.feature("A2-12", "C-05")
@everywhere
@pytest.mark.parametrize("noun", IN_THE_TEMPLATE)
def test_a_policy_is_upstream_s_statement_by_statement(upstream, location, noun):
    wanted = upstream(location, "dev")[IN_THE_TEMPLATE[noun]]["Properties"]

    document = policies(location)[noun]

    said = json.loads(wanted["PolicyDocument"])
    sids = [statement["Sid"] for statement in said["Statement"]]
    assert [statement["Sid"] for statement in document["Statement"]] == sids
    for own, statement in zip(document["Statement"], said["Statement"], strict=True):
        assert own == statement
    assert document["Version"] == said["Version"]


@pytest.mark.feature("A2-12")
@pytest.mark.parametrize("noun", IN_THE_TEMPLATE)
def test_a_policy_has_upstream_s_name_with_the_cluster_in_it(upstream, noun):
    wanted = upstream(LOCATIONS[0], "dev")[IN_THE_TEMPLATE[noun]]["Properties"]

    name = policy_name(noun, "dev")

    assert name == wanted["ManagedPolicyName"]
    assert re.fullmatch("KarpenterController[A-Za-z]+Policy-dev", name)


def differing(one, other):
    """Statements that differ, by Sid, each as it is in the second."""
    pairs = [
        pair
        for noun in IN_THE_TEMPLATE
        for pair in zip(one[noun]["Statement"], other[noun]["Statement"], strict=True)
    ]
    return {after["Sid"]: after for before, after in pairs if before != after}


def test_nothing_more_is_allowed_where_classes_need_nothing_more():
    location = LOCATIONS[0]

    assert differing(policies(location), policies(location, extra=ExtraRights())) == {}


@pytest.mark.parametrize(
    ("location", "partition"),
    [*zip(LOCATIONS, ["aws", "aws", "aws-cn", "aws-us-gov"], strict=True)],
    ids=str,
)
def test_roles_and_parameters_of_classes_are_allowed_by_their_very_arns(location, partition):
    extra = ExtraRights(roles=["theirs"], parameters=["/golden/image:3"])

    changed = differing(policies(location), policies(location, extra=extra))

    principals = {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}
    ssm = f"arn:{partition}:ssm:{location.region}"
    assert changed == {
        "AllowPassingInstanceRole": {
            "Sid": "AllowPassingInstanceRole",
            "Effect": "Allow",
            "Resource": [
                "arn of the node role",
                f"arn:{partition}:iam::111122223333:role/theirs",
            ],
            "Action": "iam:PassRole",
            "Condition": {"StringEquals": principals},
        },
        "AllowSSMReadActions": {
            "Sid": "AllowSSMReadActions",
            "Effect": "Allow",
            "Resource": [
                f"{ssm}::parameter/aws/service/*",
                f"{ssm}:111122223333:parameter/golden/image",
            ],
            "Action": "ssm:GetParameter",
        },
    }


@pytest.mark.feature("C-06")
@everywhere
def test_each_policy_fits_with_the_longest_name_that_a_cluster_can_have(location):
    role = location.iam_arn("role/" + "r" * 64)

    documents = policies(location, "c" * 100, node_role=role)

    sizes = {noun: len(re.sub(r"\s", "", json.dumps(text))) for noun, text in documents.items()}
    assert {noun: size for noun, size in sizes.items() if size > POLICY_LIMIT} == {}
    assert len(documents) <= POLICIES_OF_A_ROLE
    # The reason for splitting: as one policy it would not fit.
    assert sum(sizes.values()) > POLICY_LIMIT


@pytest.mark.feature("C-05")
def test_the_template_is_that_of_the_pinned_version():
    """Raising the pin without new rights, rules and CRDs fails here."""
    root = Path(__file__).parents[3]

    assert (root / f"tests/data/karpenter-{versions.KARPENTER}-cloudformation.yaml").is_file()
    crds = (root / "components/karpenter/crds/README.md").read_text()
    assert f"version {versions.KARPENTER}\n" in crds.splitlines(keepends=True)[0]
