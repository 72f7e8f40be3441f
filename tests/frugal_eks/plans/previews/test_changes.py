"""One change a resource, however many steps it takes."""

import pytest

from tests.frugal_eks.plans.review.made import preview, step

TAG = "aws:ec2/tag:Tag"


def only(*steps):
    _, *changes = preview(*steps).changes
    (change,) = changes
    return change


@pytest.mark.parametrize("op", ["create", "update", "delete", "same", "read", "import", "refresh"])
def test_one_step_is_what_it_says(op):
    change = only(step(op, TAG))

    assert (change.operation, change.type, change.name) == (op, TAG, "one")
    assert (change.old is None) == (op in {"create", "import"})
    assert (change.new is None) == (op == "delete")


@pytest.mark.parametrize(
    "ops",
    [
        ("create-replacement", "replace", "delete-replaced"),
        ("delete-replaced", "replace", "create-replacement"),
        ("import-replacement", "replace", "delete-replaced"),
        ("read-replacement", "discard-replaced"),
        ("remove-pending-replace", "create"),
    ],
)
def test_the_steps_of_a_replacement_are_one_with_both_sides(ops):
    change = only(
        *(step(op, TAG, old={"key": "a"}, new={"key": "b"}, replaceReasons=["key"]) for op in ops)
    )

    assert change.operation == "replace"
    assert change.old
    assert change.new
    assert (change.old.inputs, change.new.inputs) == ({"key": "a"}, {"key": "b"})
    assert change.replace_reasons == ("key",)


def test_what_is_discarded_is_deleted():
    made = step("discard", TAG)
    del made["oldState"]

    change = only(made)

    assert (change.operation, change.new) == ("delete", None)
    assert change.old


def test_properties_without_a_path_go_by_their_name():
    change = only(
        step(
            "update",
            TAG,
            detailedDiff={"spec.a[0].b": {"kind": "add"}, "list[1]": {"kind": "update"}},
            diffReasons=["spec", "list", "other"],
        )
    )

    assert {path: diff.kind for path, diff in change.diffs.items()} == {
        "spec.a[0].b": "add",
        "list[1]": "update",
        "other": "update",
    }
