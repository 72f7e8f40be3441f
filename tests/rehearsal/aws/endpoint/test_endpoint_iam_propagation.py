"""What IAM was told counts for other services a while later, as on AWS."""

import json
from collections.abc import Iterator

import pytest

from rehearsal.aws import iam_propagation
from rehearsal.aws.iam_propagation import Delays
from tests.rehearsal.aws.endpoint.conftest import Aws, refused
from tests.rehearsal.aws.endpoint.groups import Groups

NEVER = Delays(role=3600, profile=3600)


@pytest.fixture
def late_iam() -> Iterator[None]:
    """Other services know of no change, until the test lets them."""
    iam_propagation.install(NEVER)
    yield
    iam_propagation.install(Delays())


@pytest.mark.usefixtures("late_iam")
@pytest.mark.behaviour("iam-propagation-general")
def test_a_policy_counts_some_time_after_it_was_attached(aws: Aws):
    arguments = aws.cluster_arguments()

    assert "doesn't have the Amazon EKS Managed Policies associated with it" in refused(
        lambda: aws.eks.create_cluster(**arguments)
    )
    iam_propagation.install(Delays())
    assert aws.eks.create_cluster(**arguments)["cluster"]["name"] == "demo"


@pytest.mark.behaviour("iam-propagation-general")
def test_another_trust_counts_some_time_after_it_was_given(aws: Aws, late_iam: None):  # noqa: ARG001
    iam_propagation.install(Delays())
    arguments = aws.cluster_arguments()
    role = arguments["roleArn"].rpartition("/")[2]
    iam = aws.client("iam")
    trust = iam.get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]

    iam_propagation.install(NEVER)
    iam.update_assume_role_policy(RoleName=role, PolicyDocument=json.dumps(trust))

    assert "could not be assumed" in refused(lambda: aws.eks.create_cluster(**arguments))


@pytest.mark.usefixtures("late_iam")
@pytest.mark.behaviour("instance-profile-not-seen-by-ec2")
def test_an_auto_scaling_group_knows_an_instance_profile_some_time_after_it_got_its_role(aws: Aws):
    groups = Groups(aws)
    groups.let_in(kind=None)

    assert refused(lambda: groups.make(1)) == (
        f"ValidationError: You must use a valid fully-formed launch template. Value "
        f"({groups.profile}) for parameter iamInstanceProfile.name is invalid. "
        "Invalid IAM Instance Profile name"
    )
    iam_propagation.install(Delays())
    assert groups.instances(groups.make(1))
    groups.clear()
