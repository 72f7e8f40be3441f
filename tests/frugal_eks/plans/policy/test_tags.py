"""Tags: of what takes them, and the list of what does."""

import pytest

from frugal_eks.plans.policy.rules.tags import FILE, tagged_types
from frugal_eks.plans.policy.tagged_types import tagged
from tests.frugal_eks.plans.policy.cases import GROUP, NODE_CLASS
from tests.frugal_eks.plans.policy.programs import resource, told

VPC = "aws:ec2/vpc:Vpc"
REMEDY = (
    "add them: `aws:defaultTags` for all that AWS's provider makes, `tags` of a node class for "
    "Karpenter's nodes."
)


@pytest.mark.feature("C-17")
@pytest.mark.parametrize(
    ("type_token", "inputs", "texts"),
    [
        (VPC, {"tags": {"team": "a", "env": "dev"}}, []),
        (VPC, {"tags": {"env": "dev"}}, [f"tags lacks team: {REMEDY}"]),
        (VPC, {"tags": {"team": "", "env": "dev"}}, [f"tags lacks team: {REMEDY}"]),
        (VPC, {}, [f"tags lacks team, env: {REMEDY}"]),
        (GROUP, {"tags": [{"key": "team", "value": "a"}]}, [f"tags lacks env: {REMEDY}"]),
        (NODE_CLASS, {"spec": {}}, [f"spec.tags lacks team, env: {REMEDY}"]),
        (NODE_CLASS, {"spec": {"tags": {"team": "a", "env": "dev"}}}, []),
        ("aws:ec2/route:Route", {}, []),
        ("kubernetes:core/v1:Namespace", {}, []),
    ],
)
def test_what_takes_tags_must_carry_those_that_are_asked_for(type_token, inputs, texts):
    assert told("missing-tags", resource(type_token, inputs), required_tags=("team", "env")) == (
        texts
    )


def test_no_tag_is_asked_for_until_the_stack_file_does():
    assert told("missing-tags", resource(VPC, {})) == []


def test_what_has_no_tag_at_all_is_told_once_for_the_stack():
    bare = [resource(VPC, {}, "a"), resource(VPC, {"tags": {}}, "b"), resource(GROUP, {})]
    tagged_one = resource(VPC, {"tags": {"Name": "c"}}, "c")

    assert told("untagged", *bare, tagged_one, resource(NODE_CLASS, {"spec": {}})) == [
        "3 resources have no tag at all (2 Vpc, 1 Group): name keys in `policy.requiredTags`, or "
        "set `aws:defaultTags`."
    ]
    assert told("untagged", tagged_one) == []
    assert told("untagged", *bare, required_tags=("team",)) == []


def test_the_list_of_types_is_of_the_installed_sdk():
    assert FILE.read_text() == tagged()
    assert {VPC, GROUP, "aws:eks/cluster:Cluster"} <= tagged_types()
    assert "aws:ec2/tag:Tag" not in tagged_types()
