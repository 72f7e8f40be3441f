"""What the command does when the cluster exists, when others answer, and when AWS refuses."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from frugal_eks.errors import CommandError
from tests.frugal_eks.sweep.conftest import Ran
from tests.frugal_eks.sweep.world import CLUSTER, OTHER, OTHER_REGION, OWNED, World

pytestmark = pytest.mark.feature("C-03")

Sweep = Callable[..., Ran]


@pytest.mark.parametrize("more", [[], ["--yes"], ["--yes", "--volumes"]])
def test_it_refuses_while_the_cluster_exists(more: list[str], world: World, sweep: Sweep):
    ours = world.interface(OWNED)
    world.control_plane()

    ran = sweep(*more)

    assert ran == Ran(
        CommandError.code,
        "",
        f"Nothing was changed: the cluster {CLUSTER} exists (ACTIVE) in eu-west-1: what it uses is"
        " no leftover. Run `pulumi destroy` first, or give the stack's state (--state) to find"
        " what an `up` that was broken off has left.\n",
    )
    assert ours in world.everything()


def test_another_cluster_and_another_region_do_not_hinder_it(world: World, sweep: Sweep):
    world.control_plane(OTHER)
    World(OTHER_REGION).control_plane(CLUSTER)
    interface = world.interface(OWNED)

    assert sweep("--yes").code == 0
    assert interface not in world.everything()


def test_what_lies_in_another_region_stays(world: World, sweep: Sweep):
    there = World(OTHER_REGION)
    interface = there.interface(OWNED)

    assert sweep("--yes").code == 0
    assert interface in there.everything()
    assert sweep("--region", OTHER_REGION, "--yes").code == 0
    assert interface not in there.everything()
    assert world.region != OTHER_REGION


def test_it_refuses_another_account(world: World, sweep: Sweep):
    interface = world.interface(OWNED)

    ran = sweep("--yes", "--account", "111122223333")

    assert ran == Ran(
        CommandError.code,
        "",
        "Nothing was changed: the credentials are of account 123456789012, not of 111122223333:"
        " choose another AWS_PROFILE.\n",
    )
    assert interface in world.everything()
    assert sweep("--yes", "--account", "123456789012").code == 0


def test_it_refuses_when_another_region_answers(
    environment: pytest.MonkeyPatch, world: World, sweep: Sweep
):
    interface = world.interface(OWNED)
    environment.setenv("AWS_ENDPOINT_URL_EC2", "https://ec2.us-east-1.amazonaws.com")

    ran = sweep("--yes")

    assert ran == Ran(
        CommandError.code,
        "",
        "Nothing was changed: asked for eu-west-1, but us-east-1 answers: look at AWS_ENDPOINT_URL"
        " and the profile's endpoint_url.\n",
    )
    assert interface in world.everything()


@pytest.mark.usefixtures("fresh_session")
def test_without_credentials_it_says_so(sweep: Sweep):
    with pytest.MonkeyPatch.context() as environment:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            environment.delenv(name, raising=False)

        ran = sweep()

    assert (ran.code, ran.out) == (CommandError.code, "")
    assert ran.err == (
        "Nothing was changed: AWS does not answer in eu-west-1: Unable to locate credentials."
        " Give credentials (AWS_PROFILE, or `aws sso login`) and the right --region.\n"
    )


@pytest.mark.usefixtures("fresh_session")
def test_a_profile_that_is_not_there_is_one_sentence(environment: pytest.MonkeyPatch, sweep: Sweep):
    environment.setenv("AWS_PROFILE", "nobody")

    for region in ([], ["--region", "eu-west-1"]):
        environment.delenv("AWS_REGION", raising=False)
        ran = sweep(*region)
        assert (ran.code, ran.out) == (CommandError.code, "")
        assert "(nobody) could not be found" in ran.err


@pytest.fixture
def deny(fresh_session: None) -> Callable[[str], None]:
    """From now on the command is not allowed what the event, `elb` or `ec2.DeleteX`, names."""
    del fresh_session

    def refuse(model: Any, **_: Any) -> None:
        message = f"User: sweeper is not authorized to perform: {model.name}"
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": message}}, model.name)

    def deny(event: str) -> None:
        session: Any = boto3.DEFAULT_SESSION
        session.events.register(f"before-call.{event}", refuse)

    return deny


def test_a_service_that_refuses_is_told_at_the_end_and_the_rest_is_done(
    world: World, sweep: Sweep, deny: Callable[[str], None]
):
    balancer, interface = world.balancer(OWNED), world.interface(OWNED)
    template = world.template(OWNED)
    deny("elastic-load-balancing-v2")

    ran = sweep("--yes")

    assert ran.code == 1
    assert {balancer, interface, template} & world.everything() == {balancer}
    assert [line.partition(" could")[0] for line in ran.err.splitlines()] == [
        "load balancers",
        "target groups",
    ]
    assert "not authorized to perform: DescribeLoadBalancers" in ran.err
    assert "Nothing of cluster" not in ran.out


def test_a_removal_that_is_not_allowed_is_named_with_what_aws_says(
    world: World, sweep: Sweep, deny: Callable[[str], None]
):
    interface, template = world.interface(OWNED), world.template(OWNED)
    deny("ec2.DeleteNetworkInterface")

    ran = sweep("--yes")

    assert ran.code == 1
    assert {interface, template} & world.everything() == {interface}
    assert f"network interface {interface} is left: " in ran.out
    assert "not authorized to perform: DeleteNetworkInterface" in ran.out


def test_whether_the_cluster_exists_must_be_seen(
    world: World, sweep: Sweep, deny: Callable[[str], None]
):
    interface = world.interface(OWNED)
    deny("eks.DescribeCluster")

    ran = sweep("--yes")

    assert (ran.code, ran.out) == (CommandError.code, "")
    assert "not authorized to perform: DescribeCluster" in ran.err
    assert ran.err.endswith("The sweep needs the right eks:DescribeCluster.\n")
    assert interface in world.everything()
