"""What `pulumi preview --json` prints is read whole, or refused in one sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugal_eks.errors import CommandError
from frugal_eks.plans.previews import SECRET, UNKNOWN, Preview
from tests.frugal_eks.plans.previews import recorded
from tests.frugal_eks.plans.review.made import preview, step, text, urn

GOOD = text(
    step("update", "aws:ec2/vpc:Vpc", old={"é": "\u2028"}, new={"é": [1.5, None, True]}),
    step("delete", "aws:ec2/tag:Tag", "old"),
)
TAG = "aws:ec2/tag:Tag"


@pytest.mark.feature("C-16")
@pytest.mark.parametrize("name", recorded.NAMES)
def test_recorded_previews_are_read_whole(name):
    read = Preview.parse(recorded.text(name))

    assert (read.project, read.stack) == ("frugal-eks", name.partition("-")[0])
    assert read.is_whole
    assert read.config["aws:region"] == "eu-west-1"
    counted: dict[str, int] = {}
    for change in read.changes:
        counted[change.operation] = counted.get(change.operation, 0) + 1
    # The engine's own count, of components too.
    assert counted == read.summary


@pytest.mark.parametrize("name", recorded.NAMES)
def test_recorded_previews_name_no_place_on_a_machine(name):
    told = recorded.text(name)

    for word in ("stackTrace", "sourcePosition", "PRIVATE KEY", "/charts/"):
        assert word not in told.replace('"charts/', "")


def test_what_is_recorded_is_made_small_without_losing_a_change():
    state = {
        "urn": urn(TAG, "one"),
        "type": TAG,
        "inputs": {"chart": "/some/where/charts/karpenter", "sourcePosition": "kept"},
        "outputs": {"a": 1},
        "stackTrace": [{"sourcePosition": "project:///x.py#1"}],
        "created": "2026-11-21T16:43:52Z",
    }
    steps = [{"op": op, "urn": state["urn"], "newState": state} for op in ("same", "update")]
    said = [{"message": "resource plugin x is expected"}, {"message": "kept"}]

    small = recorded.shrunk(json.dumps({"steps": steps, "diagnostics": said}))

    first, second = (one["newState"] for one in small["steps"])
    assert first["inputs"] == {"chart": "charts/karpenter", "sourcePosition": "kept"}
    assert "outputs" not in first
    assert second["outputs"] == {"a": 1}
    assert not {"stackTrace", "created"} & {*first, *second}
    assert small["diagnostics"] == [{"message": "kept"}]


@given(st.integers(min_value=0, max_value=len(GOOD) - 1))
def test_cut_off_anywhere_it_is_refused(length):
    with pytest.raises(CommandError) as error:
        Preview.parse(GOOD[:length], "p.json")

    told = str(error.value)
    assert told.startswith(("p.json: is cut off or no JSON (line 1: ", "p.json: is empty: "))
    assert told.endswith("make it anew with `pulumi preview --json --show-sames`")
    assert "\n" not in told


@pytest.mark.parametrize(
    ("whole", "told"),
    [
        ({"steps": {}}, "p.json: steps: input should be a valid tuple"),
        ({"steps": [{"urn": "u"}]}, "p.json: steps.0.op: field required"),
        (
            {"steps": [{"op": "same", "urn": "u", "newState": {"urn": "u", "type": 1}}]},
            "p.json: steps.0.newState.type: input should be a valid string",
        ),
    ],
)
def test_another_shape_is_refused_with_its_path(whole, told):
    with pytest.raises(CommandError) as error:
        Preview.parse(json.dumps({"changeSummary": {}} | whole), "p.json")

    assert str(error.value) == (
        f"{told}, which no preview of Pulumi 3 has: make it anew with "
        "`pulumi preview --json --show-sames`"
    )


def test_unknown_and_secret_values_are_kept_at_any_depth():
    inputs = {"a": [{"b": UNKNOWN}], "c": SECRET}

    (_, change) = preview(step("create", TAG, new=inputs)).changes

    assert change.resource.inputs == inputs


def test_keys_that_newer_engines_add_are_let_be():
    (_, change) = preview(step("same", TAG, newer={"a": 1}), alsoNewer=[]).changes

    assert change.operation == "same"


def test_both_sides_of_a_change_can_be_counted():
    read = preview(
        step("create", TAG, "new"), step("delete", TAG, "old"), step("same", TAG, "kept")
    )

    assert [one.name for one in read.before] == ["shop-dev", "old", "kept"]
    assert [one.name for one in read.after] == ["shop-dev", "new", "kept"]
    assert read.by_urn[urn(TAG, "old")].name == "old"


def test_it_is_whole_if_the_unchanged_are_told():
    one = step("same", TAG)

    # The stack itself is unchanged too.
    assert preview(one, changeSummary={"same": 2}).is_whole
    assert not preview(one, changeSummary={"same": 3}).is_whole
