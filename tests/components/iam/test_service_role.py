import json

import pulumi
import pulumi_aws as aws
from pulumi.runtime import rpc

from components.iam.service_role import ServiceRole, ServiceRoleArgs

ARN = "arn:aws:iam::111122223333:role/"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
POLICY = "aws:iam/rolePolicy:RolePolicy"
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
DOCUMENT = {"Version": "2012-10-17", "Statement": []}
CONDITION = {"ArnLike": {"aws:SourceArn": "arn:aws:eks:eu-west-1:111122223333:cluster/dev"}}


def used():
    """A role, and something that is made with it."""
    args = ServiceRoleArgs(
        service="eks.amazonaws.com",
        managed_policies={"cluster": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"},
        policies={"logs": DOCUMENT},
        condition=CONDITION,
        physical_name="dev-role",
        tags={"team": "platform"},
    )
    role = ServiceRole("it", args)
    aws.iam.InstanceProfile("user", role=role.role_name, path=role.role_arn)


def bare():
    args = ServiceRoleArgs(service="ec2.amazonaws.com", managed_policies={})
    role = ServiceRole("it", args)
    aws.iam.InstanceProfile("user", role=role.role_name)


def test_one_service_is_trusted_under_its_condition(once):
    role = dict(once(used).one(ROLE).inputs)

    assert json.loads(role.pop("assumeRolePolicy")) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "eks.amazonaws.com"},
                "Action": "sts:AssumeRole",
                "Condition": CONDITION,
            }
        ],
    }
    assert role == {"name": "dev-role", "tags": {"team": "platform"}}


def test_without_condition_name_and_tags_nothing_is_said_of_them(once):
    role = once(bare).one(ROLE).inputs

    (statement,) = json.loads(role["assumeRolePolicy"])["Statement"]
    assert set(role) == {"assumeRolePolicy"}
    assert statement == {
        "Effect": "Allow",
        "Principal": {"Service": "ec2.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }


def test_managed_policies_and_documents_of_its_own_are_attached(once):
    built = once(used)

    assert built.one(ATTACHMENT).inputs == {
        "role": "dev-role",
        "policyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
    }
    policy = built.one(POLICY).inputs
    assert (policy["role"], json.loads(policy["policy"])) == ("dev-role", DOCUMENT)
    assert built.tree() == [
        "InstanceProfile user",
        "ServiceRole it",
        "  Role it",
        "  RolePolicy it-logs",
        "  RolePolicyAttachment it-cluster",
    ]


def test_name_and_arn_are_known_once_every_policy_is_attached(once):
    built = once(used)

    user = built.one(PROFILE)
    assert user.inputs == {"role": "dev-role", "path": f"{ARN}dev-role"}
    assert built.waits_for(user, built.one(ATTACHMENT))
    assert built.waits_for(user, built.one(POLICY))
    assert built.outputs["it"] == {"roleArn": f"{ARN}dev-role", "roleName": "dev-role"}


def test_a_role_without_policies_is_of_use_at_once(once):
    built = once(bare)

    assert built.one(PROFILE).inputs == {"role": "it"}


def test_what_depends_on_the_component_finds_its_policies_attached(deploy):
    def program():
        policies = {"cluster": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"}
        args = ServiceRoleArgs(service="eks.amazonaws.com", managed_policies=policies)
        needs = pulumi.ResourceOptions(depends_on=ServiceRole("it", args))
        aws.iam.InstanceProfile("user", opts=needs)

    built = deploy(program)

    assert built.waits_for(built.one(PROFILE), built.one(ATTACHMENT))


def test_a_preview_shows_the_policies_and_does_not_know_the_arn(once):
    built = once(used, preview=True)

    assert built.tree() == once(used).tree()
    assert built.one(ROLE).inputs == once(used).one(ROLE).inputs
    assert built.one(PROFILE).inputs["path"] == rpc.UNKNOWN
