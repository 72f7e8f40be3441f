"""The command: what it refuses, what it computes from an exported state, how the table reads."""

import io
import json

import pytest

from rehearsal.bench import crd_rules
from rehearsal.bench.__main__ import lines, main, rules_line, spot_lines
from rehearsal.bench.measure import Life, Previews, with_pools
from rehearsal.errors import RehearsalError

CLUSTER = {
    "urn": "urn:pulumi:nodeless::frugal-eks::aws:eks/cluster:Cluster::cluster",
    "type": "aws:eks/cluster:Cluster",
    "custom": True,
}


def test_the_chains_of_an_exported_state_are_printed_without_a_rehearsal(tmp_path, capsys):
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"deployment": {"resources": [CLUSTER]}}))

    code = main(["--export", str(state)])

    output = capsys.readouterr().out
    assert code == 0
    assert "9.0 min" in output
    assert "eks:Cluster cluster" in output


def test_an_exported_state_may_come_by_a_pipe(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"deployment": {"resources": []}})))

    assert main(["--export", "-"]) == 0
    assert "0.0 min" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON: give what `pulumi stack export` prints\n"),
        ("{}", "there is no `deployment` in it: give what `pulumi stack export` prints\n"),
    ],
)
def test_something_else_than_a_state_is_answered_in_words(tmp_path, capsys, text, said):
    (tmp_path / "state.json").write_text(text)

    assert main(["--export", str(tmp_path / "state.json")]) == 1
    assert capsys.readouterr().err.endswith(said)


def test_nothing_is_measured_if_there_is_no_place_for_the_table(tmp_path, capsys):
    page = tmp_path / "figures.md"
    page.write_text("# Title\n")

    assert main(["--page", str(page)]) == 1
    assert capsys.readouterr().err == (
        "figures.md: write `<!-- bench -->` and below it `<!-- /bench -->`"
        " where the table shall stand\n"
    )


def test_pools_are_multiplied_and_the_rest_of_the_section_is_kept():
    section = {"nodeClasses": {"a": {}}, "nodePools": {"default": {"nodeClass": "a"}}}

    many = with_pools({"frugal-eks:karpenter": section}, 10)

    assert many["nodeClasses"] == section["nodeClasses"]
    assert list(many["nodePools"]) == [f"pool-{number}" for number in range(10)]
    assert set(map(str, many["nodePools"].values())) == {"{'nodeClass': 'a'}"}


def test_a_stack_without_pools_cannot_be_multiplied():
    with pytest.raises(RehearsalError, match=r"measure one that has\.$"):
        with_pools({}, 10)


def test_figures_stand_as_ratios_to_the_floor_of_the_same_run():
    before = Previews(1.0, 1.8, {1: 1.8, 10: 1.9, 100: 2.7}, 103)
    first, again = (Life(20, 60, 4, 30, total, {}) for total in (160, 120))

    measured = {line.what: line for line in lines(before, first, again)}

    preview = measured["preview of the stack, 103 resources, nothing exists yet"]
    assert (preview.measured, preview.aim) == ("1.8 s = 1.80 times the floor", "at most 2 times")
    pools = measured["preview with 1, 10, 100 NodePools"]
    assert pools.measured == "1.8 s, 1.9 s, 2.7 s: +0.9 s for 99 more"
    whole = measured["from nothing running to destroyed, first time, again"]
    assert (whole.measured, whole.aim) == ("160 s, 120 s", "at most 150 s again")


def test_the_check_of_karpenters_objects_is_timed_in_a_fresh_interpreter():
    line = rules_line(crd_rules.milliseconds(1))

    assert line.what == "CRD rules of 20 node pools and 2 classes at a program's start"
    assert (line.measured.endswith(" ms"), line.aim) == (True, "at most 150 ms")
    assert float(line.measured.removesuffix(" ms")) > 0


def test_a_check_that_fails_is_told(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(RehearsalError, match=r"^The check of 20 node pools failed\.\n.*No module"):
        crd_rules.milliseconds(1)


@pytest.mark.parametrize(
    ("drained", "said"), [(1.26, "1.3 s"), (None, "not measured: the handler does not run")]
)
def test_the_spot_stack_tells_how_long_a_drain_takes(drained, said):
    before = Previews(1.0, 2.5, {}, 116)
    told = spot_lines(before, Life(20, 30, 4, 12, 60, {}, drained))

    assert told[0].measured == "2.5 s = 2.50 times the floor"
    assert "116 resources" in told[0].what
    assert [line.measured.startswith(said) for line in told].count(True) == 1
    assert [line.measured for line in told][1] == "30 s"
