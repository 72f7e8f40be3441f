import json

import pulumi
import pytest
from pydantic import ValidationError

import stack_config
from components.iam.roles import SpotServiceLinkedRole, role_settings
from components.iam.roles_config import RolesConfig
from eks_platform import Platform, PlatformArgs

ACCOUNT = "111122223333"
BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/limits/no-more-than-this"
PATH = "/teams/platform/"
ROLE = "aws:iam/role:Role"
SPOT_ROLE = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
SPOT_ARN = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
)


@pytest.fixture
def platform_with(deploy, account, stack_file):
    """Every part that makes roles, under the rules of an account."""

    def build(rules):
        sections = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
        group = {
            "instanceTypes": ["m7i.large"],
            "releaseVersion": "1.35.8-20260930",
            "size": {"min": 2, "max": 3},
        }
        config = stack_config.parsed(sections | {"managedNodeGroups": {"base": group}})
        assert isinstance(config, stack_config.StackConfig), config
        opts = pulumi.ResourceOptions(transformations=[role_settings(rules)])
        return deploy(lambda: Platform("platform", PlatformArgs(config=config), opts), account)

    return build


@pytest.mark.feature("B-14")
def test_every_role_gets_the_path_and_the_boundary(platform_with):
    built = platform_with(RolesConfig(path=PATH, permissions_boundary=BOUNDARY))

    roles = built.every(ROLE)
    assert {
        "cluster-role",
        "fargate-role",
        "base-role",
        "karpenter-controller-role",
        "karpenter-controller-node",
    } <= {role.request.name for role in roles}
    given = {(role.inputs.get("path"), role.inputs.get("permissionsBoundary")) for role in roles}
    assert given == {(PATH, BOUNDARY)}
    assert all("Principal" in role.inputs["assumeRolePolicy"] for role in roles)


@pytest.mark.feature("B-14")
def test_whoever_names_a_role_of_the_stack_by_its_arn_names_the_path_too(platform_with):
    built = platform_with(RolesConfig(path=PATH))

    # What may pass a role, an access entry, Fargate and node groups refer to roles by ARN.
    ours = f"arn:aws:iam::{ACCOUNT}:role/"
    texts = json.dumps([declared.inputs for declared in built.declared]).split(ours)[1:]
    named = [text for text in texts if not text.startswith("platform-admin")]
    assert len(named) >= len(built.every(ROLE))
    assert [text[:60] for text in named if not text.startswith(PATH[1:])] == []
    node_class = built.every("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass")[0]
    # Karpenter takes the name alone.
    assert "/" not in node_class.inputs["spec"]["role"]


def test_one_rule_leaves_the_other_to_aws(platform_with):
    built = platform_with(RolesConfig(permissions_boundary=BOUNDARY))

    assert {role.inputs["permissionsBoundary"] for role in built.every(ROLE)} == {BOUNDARY}
    assert [role.request.name for role in built.every(ROLE) if "path" in role.inputs] == []


@pytest.mark.feature("B-14")
@pytest.mark.parametrize("path", ["teams", "/teams", "teams/", "/te ams/", "/" + "a" * 512 + "/"])
def test_a_path_that_iam_refuses_is_refused_here(path):
    with pytest.raises(ValidationError):
        RolesConfig(path=path)


@pytest.mark.parametrize("path", ["/", "/a/", "/teams/platform-1/eu_west/"])
def test_a_path_that_iam_takes_is_taken(path):
    assert RolesConfig(path=path).path == path


@pytest.mark.parametrize("arn", ["no-more-than-this", f"arn:aws:iam::{ACCOUNT}:role/limits"])
def test_a_boundary_is_a_managed_policy(arn):
    with pytest.raises(ValidationError):
        RolesConfig(permissions_boundary=arn)


def spot_role():
    SpotServiceLinkedRole("spot-role")


@pytest.mark.feature("C-11")
def test_the_role_for_spot_requests_is_made_and_outlives_the_stack(deploy, account):
    asked = []

    def roles(query):
        asked.append(query)
        return {"arns": [], "names": []}

    built = deploy(spot_role, account | {"aws:iam/getRoles:getRoles": roles})

    assert asked == [{"pathPrefix": "/aws-service-role/spot.amazonaws.com/"}]
    role = built.one(SPOT_ROLE)
    assert role.inputs == {"awsServiceName": "spot.amazonaws.com"}
    assert role.request.retainOnDelete
    assert role.request.importId == ""


@pytest.mark.feature("C-11")
def test_a_role_for_spot_requests_that_is_there_is_adopted_as_it_is(deploy, account):
    found = {"arns": [SPOT_ARN], "names": ["AWSServiceRoleForEC2Spot"]}
    built = deploy(spot_role, account | {"aws:iam/getRoles:getRoles": lambda _: found})

    role = built.one(SPOT_ROLE)
    assert role.request.importId == SPOT_ARN
    assert role.request.retainOnDelete
    assert sorted(role.request.ignoreChanges) == ["customSuffix", "description", "tags"]


def test_the_rules_of_the_account_do_not_reach_aws_s_own_role(deploy, account):
    rules = role_settings(RolesConfig(path=PATH, permissions_boundary=BOUNDARY))
    opts = pulumi.ResourceOptions(transformations=[rules])
    built = deploy(lambda: SpotServiceLinkedRole("spot-role", opts), account)

    assert built.one(SPOT_ROLE).inputs == {"awsServiceName": "spot.amazonaws.com"}
