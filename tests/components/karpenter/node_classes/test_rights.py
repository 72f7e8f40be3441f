import pytest

from components.karpenter.node_classes import ExtraRights, extra_rights, other_roles
from components.location import Location
from tests.components.karpenter.node_classes.node_class import config

LOCATION = Location(region="eu-west-1", account="111122223333")
THEIRS = "arn:aws:ssm:us-east-1:222233334444:parameter/golden/image"


def by_parameter(*parameters):
    terms = [{"ssmParameter": parameter} for parameter in parameters]
    return config(amiFamily="AL2023", amiSelectorTerms=terms)


def test_classes_that_keep_to_the_stack_s_role_and_aws_s_images_need_nothing_more():
    aws = "/aws/service/bottlerocket/aws-k8s-1.35/arm64/1.66.0/image_id"
    classes = {"default": config(), "profile": config(instanceProfile="nodes")}

    assert extra_rights(classes | {"aws": by_parameter(aws)}) == ExtraRights(
        roles=[], parameters=[]
    )


def test_each_role_is_passed_once_whether_it_is_named_or_lies_in_a_profile():
    classes = {
        "a": config(role="theirs"),
        "b": config(role="theirs"),
        "c": config(instanceProfile="nodes", instanceProfileRole="inside"),
    }

    assert other_roles(classes) == ["theirs", "inside"]
    assert extra_rights(classes).role_arns(LOCATION) == [
        "arn:aws:iam::111122223333:role/theirs",
        "arn:aws:iam::111122223333:role/inside",
    ]


@pytest.mark.parametrize(
    ("parameter", "arn"),
    [
        ("/golden/image", "arn:aws:ssm:eu-west-1:111122223333:parameter/golden/image"),
        ("golden", "arn:aws:ssm:eu-west-1:111122223333:parameter/golden"),
        ("/golden/image:3", "arn:aws:ssm:eu-west-1:111122223333:parameter/golden/image"),
        (THEIRS, THEIRS),
        (f"{THEIRS}:stable", THEIRS),
    ],
)
def test_a_parameter_of_one_s_own_is_read_by_its_very_arn(parameter, arn):
    rights = extra_rights({"a": by_parameter(parameter), "b": by_parameter(parameter)})

    assert rights.parameter_arns(LOCATION) == [arn]
