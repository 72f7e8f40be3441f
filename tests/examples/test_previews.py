"""Each example as a program of somebody else: installed by pip, previewed by the real engine."""

import dataclasses
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from frugal_eks.plans.previews import Preview
from frugal_eks.plans.previews.picture import graph, svg
from rehearsal.engine import Engine, Outcome
from rehearsal.recording.account import REGION
from rehearsal.stack_file import StackFile
from tests.conftest import ROOT
from tests.examples.conftest import environment, installed
from tests.rehearsal.iam import once_iam_counts
from tests.rehearsal.variants.stage import Stage, opened

pytestmark = pytest.mark.engine

NETWORK = {"cidr": "10.70.0.0/16", "availabilityZones": 2, "natGateways": "single"}
AT_HOME = {
    "aws:region": REGION,
    "frugal-eks:cluster": {
        "name": "home",
        "version": "1.35",
        "endpoint": {"private": True},
        "admins": ["arn:aws:iam::111122223333:role/platform-admin"],
        "deletionProtection": False,
    },
    "frugal-eks:network": NETWORK,
}
"""A stack of this package beside them, which is never made: it is what a rehearsal starts with."""
SETTINGS = {
    "karpenter": {"karpenter:cluster": "shared"},
    "spot-group": {"spot-group:cluster": "shared", "spot-group:release": "1.35.8-20260930"},
    "interruption-queue": {"interruption-queue:queueName": "shared"},
}
"""What the README tells to set, by example."""


@pytest.fixture(scope="module")
def programs(clone: Path) -> Path:
    """The folder with the examples, each ready to run, as `pulumi install` leaves it."""
    folder = clone / "examples"
    first, *others = sorted(SETTINGS)
    installed(environment(folder / first / ".venv"), folder / first, "-r", "requirements.txt")
    for name in others:
        (folder / name / ".venv").symlink_to(folder / first / ".venv")
    return folder


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """An account where somebody has made the cluster `shared`."""
    with opened(tmp_path_factory.mktemp("examples"), "home", AT_HOME) as stage:
        make_cluster(stage)
        yield stage


@pytest.fixture(scope="module")
def previews(stage: Stage, programs: Path) -> dict[str, Outcome]:
    """Of every example."""
    return {name: engine(stage, programs / name, name).preview() for name in SETTINGS}


def engine(stage: Stage, program: Path, name: str) -> Engine:
    """Ready to work on a stack of that program."""
    first = stage.first.engine()
    file = stage.folder / f"Pulumi.{name}.yaml"
    settings = SETTINGS[name] | {"aws:region": REGION}
    file.write_text(yaml.safe_dump({"config": settings}))
    setup = dataclasses.replace(first.setup, project=program)
    quiet = Console(quiet=True)
    made = Engine(first.state, setup, StackFile.read(file, "dev"), quiet)
    made.prepare({})
    use_charts(program / "__main__.py", first.state.charts)
    return made


def use_charts(program: Path, charts: Path) -> None:
    """Gives the program the rehearsal's charts, since it names no source of its own."""
    text = program.read_text()
    by_default, ours = "(config=which)", "(config=which, charts=ChartSource(mirror={mirror!r}))"
    if by_default in text:
        source = "from frugal_eks.components.kubernetes.charts import ChartSource\n"
        text = text.replace(by_default, ours.format(mirror=str(charts)))
        program.write_text(text.replace("import pulumi\n", f"import pulumi\n{source}", 1))


def make_cluster(stage: Stage) -> None:
    """By other means than this package, in a network of its own, with the Pod Identity agent."""
    ec2, iam, eks = (stage.aws(service) for service in ("ec2", "iam", "eks"))
    vpc = ec2.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.50.{number}.0/24", AvailabilityZone=f"{REGION}{letter}"
        )["Subnet"]["SubnetId"]
        for number, letter in enumerate("ab")
    ]
    trust = (
        '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", '
        '"Principal": {"Service": "eks.amazonaws.com"}}]}'
    )
    role = iam.create_role(RoleName="shared", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    policy = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
    iam.attach_role_policy(RoleName="shared", PolicyArn=policy)
    once_iam_counts(
        eks.create_cluster,
        name="shared",
        version="1.35",
        roleArn=role,
        resourcesVpcConfig={"subnetIds": subnets},
        accessConfig={"authenticationMode": "API"},
        bootstrapSelfManagedAddons=False,
    )
    eks.get_waiter("cluster_active").wait(name="shared", WaiterConfig={"Delay": 1})
    eks.create_addon(clusterName="shared", addonName="eks-pod-identity-agent")


MADE = {
    "karpenter": {
        "aws:sqs/queue:Queue",
        "kubernetes:helm.sh/v3:Release",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "kubernetes:karpenter.sh/v1:NodePool",
    },
    "spot-group": {
        "aws:autoscaling/group:Group",
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:eks/accessEntry:AccessEntry",
    },
    "interruption-queue": {
        "aws:sqs/queue:Queue",
        "aws:sqs/queuePolicy:QueuePolicy",
        "aws:cloudwatch/eventRule:EventRule",
    },
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_engine_previews_each(previews, name):
    outcome = previews[name]
    made = {step.type for step in outcome.steps if step.op == "create"}

    assert outcome.succeeded, outcome.diagnostics()
    assert made >= MADE[name]
    assert set(outcome.changes) <= {"create", "read"}


@pytest.mark.feature("A0-09")
def test_a_spot_group_for_a_cluster_of_others_changes_nothing_of_it(previews):
    steps = previews["spot-group"].steps
    touched = {step.type for step in steps if step.op not in {"same", "read"}}

    assert not {kind for kind in touched if kind.startswith("eks:") or "eks/cluster" in kind}
    assert "aws:eks/addon:Addon" not in touched


def test_the_picture_of_the_architecture_is_that_of_the_present_program(stage):
    shipped = yaml.safe_load((ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text())["config"]
    told = stage.stack("nodeless", shipped).engine().preview_json()

    assert svg(graph(Preview.parse(told))) == (ROOT / "docs" / "architecture.svg").read_text()


def test_the_package_is_installed_from_a_git_repository(clone, tmp_path):
    python = environment(tmp_path / "venv")
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "-m", "all"]):
        subprocess.run(["git", *author, *arguments], cwd=clone, check=True)
    installed(python, tmp_path, f"git+file://{clone}")

    package = "frugal_eks.components.karpenter"
    told = subprocess.run(
        [
            python,
            "-I",
            "-c",
            f"from {package} import karpenter as k; print(k.Karpenter, k.__file__)",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    assert "frugal_eks.components.karpenter.karpenter.Karpenter" in told
    assert str(site) in told
