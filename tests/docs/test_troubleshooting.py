"""Each message that docs/troubleshooting.md quotes is what the code says, word for word."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.kubernetes.release_lock import TAKEN, remedy
from frugal_eks import cli
from frugal_eks.errors import CommandError
from frugal_eks.plans.previews import Preview
from frugal_eks.plans.previews.picture import PictureError, graph
from stack_config.check import report
from tests.conftest import ROOT
from tests.docs.pages import blocks
from tests.frugal_eks.plans.previews import recorded

PAGE = "docs/troubleshooting.md"
QUOTED = {
    block.marker: block.text
    for block in blocks()
    if block.page == PAGE and block.kind not in {"sh", "yaml"}
}
Say = Callable[[Any, Path], str]


def refused(text: str) -> str:
    """What is told of a preview's file with this text."""
    with pytest.raises(CommandError) as told:
        Preview.parse(text, "preview.json")
    return str(told.value)


def not_valid(*_: Any) -> str:
    shipped = (ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text()
    text = shipped.replace("natGateways: single", "natGateways: one")
    return "\n".join(report("Pulumi.dev.yaml", text))


def failed(*_: Any) -> str:
    told = json.loads(recorded.text("nodeless-create"))
    told["diagnostics"] = [{"severity": "error", "message": "no credentials"}]
    return refused(json.dumps(told))


def not_whole(*_: Any) -> str:
    told = json.loads(recorded.text("nodeless-change"))
    told["steps"] = [step for step in told["steps"] if step["op"] != "same"]
    with pytest.raises(PictureError) as refusal:
        graph(Preview.parse(json.dumps(told)))
    return f"preview.json: {refusal.value}"


def no_price(printed: Any, folder: Path) -> str:
    file = folder / "Pulumi.nodeless.yaml"
    shipped = yaml.safe_load((ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text())
    shipped["config"]["aws:region"] = "sa-east-1"
    file.write_text(yaml.safe_dump(shipped))
    cli.main(["cost", str(file)])
    return printed.readouterr().out


def held_to_rules(printed: Any, folder: Path) -> str:
    told = json.loads(recorded.text("nodeless-create"))
    for state in (step.get("newState") or {} for step in told["steps"]):
        if state.get("type") == "frugal-eks:index:Platform":
            excepted = {"unpinned-chart": "until the mirror is there"}
            state["inputs"] = {"policy": {"monthlyBudgetUsd": 400, "except": excepted}}
        if state.get("type", "").endswith(":NodePool"):
            del state["inputs"]["spec"]["limits"]
    file = folder / "preview.json"
    file.write_text(json.dumps(told))
    cli.main(["policy", str(file)])
    return printed.readouterr().out


def not_approved(*_: Any) -> str:
    """Of the script, which tests/workflows/test_up_scripts.py runs."""
    script = (ROOT / ".github" / "scripts" / "up.sh").read_text()
    return script.replace("$stack", "nodeless")


SAID: dict[str, Say] = {
    "said-not-valid": not_valid,
    "said-cut-off": lambda *_: refused(recorded.text("nodeless-create")[:3000]),
    "said-streaming": lambda *_: refused('{"steps": []}\n{"steps": []}\n'),
    "said-failed": failed,
    "said-not-whole": not_whole,
    "said-no-price": no_price,
    "said-over-budget": held_to_rules,
    "said-unused-exception": held_to_rules,
    "said-not-approved": not_approved,
    "said-release-record": lambda *_: str(
        remedy(TAKEN, release="karpenter", namespace="karpenter")
    ),
}
"""By the marker above the quotation: what prints it."""


def test_every_quotation_is_said_by_something():
    assert QUOTED.keys() == SAID.keys()


@pytest.mark.parametrize("marker", SAID)
def test_a_quotation_is_what_is_said(marker, capsys, tmp_path):
    said = SAID[marker](capsys, tmp_path)

    quoted = re.escape(QUOTED[marker]).replace("…", r"[^\n]+")
    assert re.search(quoted, said), said


def test_the_workflow_s_sentence_is_tested_where_the_script_runs():
    tests = (ROOT / "tests" / "workflows" / "test_up_scripts.py").read_text()

    assert "is not the one that was approved" in tests
