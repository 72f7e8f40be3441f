"""This program on the stacks of earlier releases: nothing that exists is replaced or deleted, but
for what gets a successor first."""

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from lightkube import codecs
from rich.console import Console

from rehearsal import recorded_state
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import Engine, EngineSetup, Outcome
from rehearsal.nodes.cluster import connect
from rehearsal.state import ROOT

pytestmark = pytest.mark.engine

STATES = ROOT / "tests" / "data" / "states"
RELEASES = [path.stem for path in sorted(STATES.glob("*.json"))]
each_release = pytest.mark.parametrize("recorded", RELEASES, indirect=True)
one_release = pytest.mark.parametrize("recorded", RELEASES[:1], indirect=True)

PROFILE = "aws:eks/fargateProfile:FargateProfile"
PROFILE_STEPS = ("create-replacement", "replace", "delete-replaced")
ROLE = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
CHANGES = {
    "0.1-nodeless": {
        ("create", "frugal-eks:index:SpotServiceLinkedRole", "spot"),
        ("create", ROLE, "spot"),
        # The cluster's tag, by which the sweep finds them.
        ("update", "aws:ec2/eip:Eip", "network-nat-1"),
        ("update", "aws:ec2/natGateway:NatGateway", "network-nat-1"),
        ("update", "aws:iam/openIdConnectProvider:OpenIdConnectProvider", "cluster-oidc"),
        # Until 0.2 their names were fixed (docs/upgrading.md); pods move by the label of their own.
        *((step, PROFILE, "fargate-karpenter") for step in PROFILE_STEPS),
        *((step, PROFILE, "fargate-kube-system") for step in PROFILE_STEPS),
        ("update", "aws:eks/addon:Addon", "coredns"),
        ("update", "kubernetes:helm.sh/v3:Release", "karpenter"),
    },
}
"""By release and stack: all that this program does to it, besides what nobody asked it to."""

PROGRAM = ("Pulumi.yaml", "__main__.py")
PACKAGES = ("components", "eks_platform", "stack_config")
WIRING, NETWORK = Path("eks_platform/platform.py"), Path("components/network/network.py")
NAMED = r'Network\(\s+"network"', 'Network("net"'
ALIASED = (
    r'(:index:Network", name, None), opts\)',
    r"\1, pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions("
    r'aliases=[pulumi.Alias(name="network")])))',
)


class Recorded(NamedTuple):
    """A recorded stack, in a rehearsal in which nothing but its state was made."""

    release: str
    rehearsal: Rehearsal
    folder: Path

    def preview(self, program: Path = ROOT) -> Outcome:
        """By this program, or by a copy of it."""
        engine = self.rehearsal.engine()
        setup = EngineSetup(
            cli=engine.setup.cli, environment=engine.setup.environment, project=program
        )
        return Engine(engine.state, setup, engine.stack_file, engine.console).preview()

    def copy(self) -> Path:
        """Of the program, to be changed."""
        copy = self.folder / "program"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in PROGRAM:
            shutil.copy(ROOT / name, copy)
        for name in PACKAGES:
            shutil.copytree(ROOT / name, copy / name)
        options = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())["runtime"]["options"]
        environment = options["virtualenv"]
        (copy / environment).symlink_to(ROOT / environment)
        return copy


@pytest.fixture(scope="module")
def recorded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Recorded]:
    """One for each file, one after the other."""
    release: str = request.param
    folder = tmp_path_factory.mktemp("upgrade")
    file = folder / "Pulumi.yaml"
    shutil.copy(STATES / f"{release}.yaml", file)
    stack = release.partition("-")[2]
    options = Options(state=folder / "state", stack=stack, stack_file=file)
    rehearsal = Rehearsal(options, Console(file=io.StringIO()))
    rehearsal.start()
    try:
        old = recorded_state.restored((STATES / f"{release}.json").read_text(), rehearsal.state)
        engine = rehearsal.engine()
        engine.load(old)
        make_objects(rehearsal, engine)
        yield Recorded(release, rehearsal, folder)
    finally:
        rehearsal.stop()


def make_objects(rehearsal: Rehearsal, engine: Engine) -> None:
    """The preview of an update asks the API server for the object, but for those of a CRD.

    They are as Pulumi made them, its fields owned by the same managers.
    """
    with connect(rehearsal.state) as client:
        for resource in engine.resources():
            kind = resource["type"]
            if kind.startswith("kubernetes:") and not re.search(r":helm\.sh/|karpenter", kind):
                client.apply(
                    codecs.from_dict(resource["inputs"]),
                    field_manager=resource["outputs"]["__fieldManager"],
                )


def changed(outcome: Outcome) -> set[tuple[str, str, str]]:
    """What it would do: operation, type and name of each resource."""
    assert outcome.succeeded, outcome.diagnostics()
    return {(step.op, step.type, step.name) for step in outcome.steps if step.op != "same"}


def replace(file: Path, old: str, new: str) -> None:
    """Exactly once."""
    text, count = re.subn(old, new, file.read_text())
    assert count == 1, (file, old)
    file.write_text(text)


def test_every_recorded_state_has_its_stack_file_and_the_changes_that_are_expected():
    assert RELEASES
    assert sorted(CHANGES) == RELEASES
    assert sorted(path.stem for path in STATES.glob("*.yaml")) == RELEASES


@each_release
def test_a_state_is_recorded_as_it_is_loaded(recorded):
    again = recorded.folder / "again.json"
    recorded.rehearsal.record(again)

    assert again.read_text() == (STATES / f"{recorded.release}.json").read_text()


@pytest.mark.feature("B-44")
@each_release
def test_this_release_changes_nothing_that_an_earlier_one_has_made(recorded):
    changes = changed(recorded.preview())

    assert changes == CHANGES[recorded.release]
    others = {operation for operation, kind, _ in changes if kind != PROFILE}
    assert others <= {"create", "update"}


@pytest.mark.feature("B-44")
@one_release
def test_another_name_would_replace_what_exists_and_an_alias_keeps_it(recorded):
    copy = recorded.copy()
    replace(copy / WIRING, *NAMED)
    renamed = changed(recorded.preview(copy))
    replace(copy / NETWORK, *ALIASED)
    aliased = changed(recorded.preview(copy))

    vpc = "aws:ec2/vpc:Vpc"
    assert {("create", vpc, "net"), ("delete", vpc, "network")} <= renamed
    # The network's parts are named after it.
    assert aliased == {
        (step, kind, re.sub("^network-", "net-", name))
        for step, kind, name in CHANGES[recorded.release]
    }


@one_release
def test_what_is_changed_in_the_stack_file_is_all_that_is_updated(recorded):
    file = recorded.rehearsal.stack_path
    text = file.read_text()
    file.write_text(text.replace("inflate: {replicas: 0}", "inflate: {replicas: 2}"))
    updated = changed(recorded.preview())
    file.write_text(text)

    inflate = ("update", "kubernetes:apps/v1:Deployment", "inflate")
    assert updated == CHANGES[recorded.release] | {inflate}
