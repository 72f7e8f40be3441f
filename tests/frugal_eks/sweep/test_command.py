"""The command line: the dry run, its table, wrong usage, and Ctrl-C."""

import gc
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frugal_eks import cli
from frugal_eks.inputs import STACKS
from frugal_eks.sweep.kinds import KINDS
from tests.frugal_eks.sweep.conftest import Ran
from tests.frugal_eks.sweep.world import CLUSTER, LIFECYCLE, OTHER, OWNED, World

pytestmark = pytest.mark.feature("C-03")

USAGE = 2
Sweep = Callable[..., Ran]


def snapshot(world: World) -> dict[str, Any]:
    """All that AWS tells about the things of the kinds."""
    listed = (
        (world.ec2, "describe_instances"),
        (world.ec2, "describe_network_interfaces"),
        (world.ec2, "describe_security_groups"),
        (world.ec2, "describe_security_group_rules"),
        (world.ec2, "describe_launch_templates"),
        (world.ec2, "describe_volumes"),
        (world.autoscaling, "describe_auto_scaling_groups"),
        (world.elbv2, "describe_load_balancers"),
        (world.elbv2, "describe_target_groups"),
        (world.elb, "describe_load_balancers"),
        (world.iam, "list_instance_profiles"),
        (world.logs, "describe_log_groups"),
    )
    answers = {
        f"{client.meta.service_model.service_name} {operation}": getattr(client, operation)()
        for client, operation in listed
    }
    return {name: answer | {"ResponseMetadata": {}} for name, answer in answers.items()}


def test_a_dry_run_lists_each_kind_by_name_and_tag_and_changes_nothing(world: World, sweep: Sweep):
    ours = {make(OWNED) for make in world.makers.values()}
    ours.add(world.log_group(f"/aws/eks/{CLUSTER}/cluster"))
    before = snapshot(world)

    ran = sweep()

    assert ran.code == 1
    assert snapshot(world) == before
    assert "A dry run: nothing is changed" in ran.out
    words = " ".join(ran.out.split())
    assert all(kind.name in words for kind in KINDS)
    assert all(id.rpartition(":")[2] in words for id in ours)
    assert ran.out.count(f"{LIFECYCLE}=owned") == len(ours) - 1
    assert f"EKS's path /aws/eks/{CLUSTER}/" in ran.out
    assert f"14 of cluster {CLUSTER} in account 123456789012, eu-west-1 are left." in ran.out


def test_a_second_run_finds_nothing(world: World, sweep: Sweep):
    group, load_balancer = world.security_group(OWNED), world.balancer(OWNED)

    first = sweep("--yes")
    second = sweep("--yes")

    assert (first.code, first.err) == (0, "")
    assert f"removed security group {group} (k8s-traffic-" in first.out
    assert f"removed load balancer {load_balancer.rpartition(':')[2]}" in first.out
    assert second == Ran(
        0, f"Nothing of cluster {CLUSTER} in account 123456789012, eu-west-1 is left.\n", ""
    )


def test_what_is_shared_is_shown_and_is_nothing_that_is_left(world: World, sweep: Sweep):
    world.security_group(OWNED | {"elbv2.k8s.aws/cluster": OTHER})

    ran = sweep()

    assert ran.code == 0
    assert f"not touched, shared: elbv2.k8s.aws/cluster={OTHER}" in ran.out
    assert "Nothing of cluster" in ran.out


def test_brackets_in_a_name_are_no_markup(world: World, sweep: Sweep):
    world.instance(OWNED | {"Name": "[bold]node[/]"})

    assert "[bold]node[/]" in sweep().out
    assert "([bold]node[/])" in sweep("--yes").out


def test_without_a_region_it_is_wrongly_used(environment: pytest.MonkeyPatch, sweep: Sweep):
    environment.delenv("AWS_REGION")

    ran = sweep()

    assert (ran.code, ran.out) == (USAGE, "")
    assert ran.err == "Nothing was changed: no region: give --region, or set AWS_REGION.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cluster", "*"], "'*' is no name of an EKS cluster: letters, digits, - and _, at most"),
        (["--cluster", ""], "'' is no name of an EKS cluster"),
        (["--cluster", "dev", "--account", "1"], "'1' is no account id: give its 12 digits"),
        (["--cluster", "dev", "--wait", "-1"], "'-1' is no number of seconds"),
        (["--cluster", "dev", "--wait", "soon"], "'soon' is no number of seconds"),
    ],
)
def test_wrong_usage_is_two(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        cli.main(["sweep", *arguments])

    assert ended.value.code == USAGE
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nodeless", "--cluster", "dev"]])
def test_it_is_told_one_cluster(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    assert cli.main(["sweep", *arguments]) == USAGE

    assert capsys.readouterr().err.startswith("Name the stack, or --cluster where there is no")


def test_a_stack_file_names_cluster_and_region(
    world: World,
    environment: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    environment.delenv("AWS_REGION")
    shipped = (STACKS / "Pulumi.nodeless.yaml").read_text()
    file = tmp_path / "Pulumi.mine.yaml"
    file.write_text(shipped.replace("name: nodeless #", f"name: {CLUSTER} #"))
    world.instance(OWNED)

    assert cli.main(["sweep", str(file)]) == 1

    words = " ".join(capsys.readouterr().out.split())
    assert f"1 of cluster {CLUSTER} in account 123456789012, eu-west-1 is left." in words


def test_ctrl_c_while_it_waits_ends_it_at_once(world: World, sweep: Sweep):
    user = world.interface({}, groups=[world.security_group(OWNED)])
    template = world.template(OWNED)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    # Hypothesis has a callback on each collection, and Python passes over what is raised in one.
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, 1.5)

    try:
        ran = sweep("--yes", wait="600")
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert ran.code == 130  # noqa: PLR2004
    assert ran.err == "Interrupted. What AWS was asked to remove still goes: run it again.\n"
    assert {user, template} <= world.everything()
