"""The picture and the tables of a replay."""

import io
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from rich.console import Console

from rehearsal.consolidation.picture import draw
from rehearsal.consolidation.report import print_replay
from rehearsal.state import ROOT
from tests.rehearsal.test_replay_costs import trace as made_trace

trace = made_trace


def test_the_same_trace_gives_the_same_bytes_without_a_date(trace, tmp_path):
    for name in ("one.svg", "folder/two.svg"):
        draw(trace, tmp_path / name)

    one = (tmp_path / "one.svg").read_bytes()
    assert one == (tmp_path / "folder" / "two.svg").read_bytes()
    assert b"<dc:date>" not in one


def test_the_picture_has_its_own_ground_and_names_all_that_it_shows(trace, tmp_path):
    draw(trace, tmp_path / "one.svg")

    texts = {
        "".join(one.itertext())
        for one in ElementTree.parse(tmp_path / "one.svg").iter("{http://www.w3.org/2000/svg}text")
    }
    named = {"measured", "no consolidation", "lower bound", "nodes", "pods asked for"}
    assert texts >= named | {"1 pod", "4 pods", "USD an hour", "minutes"}
    assert "fill: #ffffff" in (tmp_path / "one.svg").read_text()


def test_nobody_loads_the_drawing_library_for_anything_else():
    code = "import sys, frugal_eks.rehearse; sys.exit('matplotlib' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.fixture
def told(trace):
    console = Console(file=io.StringIO(), width=250)
    print_replay(console, trace)
    return console.file.getvalue()


def test_each_step_shows_nodes_types_price_pods_and_karpenter_s_reason(told):
    row = next(line for line in told.splitlines() if "saves 0.50" in line)

    assert "type-new spot a" in row
    assert "replace large (t on-demand) by a node spot of 5 types: underutilized" in row
    assert "1.5000" in row


def test_the_bill_has_each_way_with_its_sum_its_difference_and_its_rule(told):
    row = next(line for line in told.splitlines() if "fixed nodes" in line)

    assert [cell.strip() for cell in row.split("│")[1:-1]] == [
        "fixed nodes",
        "3.0000",
        "3.0000",
        "3.0000",
        "9.0000",
        "+64%",
        "7.5000",
    ]
    assert "  fixed nodes: the nodes of the highest demand" in told
    assert "list prices of 2026-01-01" in told
