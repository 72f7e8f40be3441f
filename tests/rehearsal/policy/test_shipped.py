"""Each stack that ships keeps the rules, with the real engine."""

import io
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from frugal_eks import cli
from rehearsal.commands import Options, Rehearsal
from rehearsal.state import ROOT
from tests.rehearsal.policy.conftest import PACK

RULES_BROKEN = {"public-cluster-api", "untagged", "unencrypted-log-group", "deletion-protection"}
"""Advisory ones, and rightly: docs/policy.md says why each."""
STACKS = ("consolidation", "nodeless", "spot")


@pytest.fixture(scope="module")
def started(tmp_path_factory, pack):
    """The folder of a rehearsal in which nothing is deployed."""
    assert pack
    state = tmp_path_factory.mktemp("shipped")
    rehearsal = Rehearsal(Options(state=state, stack="nodeless"), Console(file=io.StringIO()))
    rehearsal.start()
    yield state
    rehearsal.stop()


def test_every_shipped_stack_is_held_to_the_rules():
    shipped = sorted(file.stem.partition(".")[2] for file in (ROOT / "stacks").glob("Pulumi.*"))

    assert tuple(shipped) == STACKS


@pytest.mark.engine
@pytest.mark.feature("C-17")
@pytest.mark.parametrize("stack", STACKS)
def test_a_shipped_stack_breaks_no_mandatory_rule(started, stack):
    rehearsal = Rehearsal(Options(state=started, stack=stack), Console(file=io.StringIO()))
    outcome = rehearsal.preview(policy_pack=PACK)

    told = [one.text.partition(": ") for one in outcome.messages if one.severity == "warning"]
    broken = {name for name, _, text in told if "\n" in text}
    excepted = {"exceptions"} if stack == "spot" else set()
    assert outcome.succeeded
    assert broken == RULES_BROKEN | excepted


@pytest.mark.engine
@pytest.mark.feature("C-14", "C-17")
def test_a_change_that_breaks_the_rules_is_refused_on_the_command_line(started, tmp_path, capfd):
    file = _changed(tmp_path)
    arguments = ["preview", "--state", str(started), "--stack", str(file)]
    code = cli.main(["rehearse", *arguments, "--policy-pack", str(PACK)])

    told = capfd.readouterr().err
    assert code == 1
    assert (
        "  vpcConfig.publicAccessCidrs has 0.0.0.0/0: name the addresses that may call it "
        "(`cluster.endpoint.publicCidrs`).\n"
    ) in told
    assert (
        "nodepool-default has no limit, which no budget allows (5,000 USD a month): lower a limit "
        "or a largest size, or raise `policy.monthlyBudgetUsd` on purpose.\n"
    ) in told


def _changed(folder: Path) -> Path:
    """The stack file `nodeless` with an API for everybody, a pool without end, and a budget."""
    document = yaml.safe_load((ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text())
    config = document["config"]
    config["frugal-eks:cluster"]["endpoint"]["publicCidrs"] = ["0.0.0.0/0"]
    del config["frugal-eks:karpenter"]["nodePools"]["default"]["limits"]
    config["frugal-eks:policy"] = {"monthlyBudgetUsd": 5000}
    file = folder / "Pulumi.nodeless.yaml"
    file.write_text(yaml.safe_dump(document))
    return file
