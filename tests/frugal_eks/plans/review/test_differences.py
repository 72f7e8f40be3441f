"""The properties that differ, and how they are written."""

import base64
import json

from frugal_eks.plans.previews import UNKNOWN
from frugal_eks.plans.review.diff_text import ALL_LINES, lines
from frugal_eks.plans.review.differences import differences
from tests.frugal_eks.plans.review.made import preview, step


def shown(old, new, *paths, **more):
    """The lines of an update whose provider names these paths."""
    named = {path: {"kind": "update"} for path in paths}
    made = step("update", "acme:index:Thing", old=old, new=new, detailedDiff=named, **more)
    (change,) = [one for one in preview(made).changes if one.operation == "update"]
    return lines(differences(change))


def test_only_what_the_provider_names_differs():
    assert shown({"a": 1, "b": 1}, {"a": 2, "b": 2}, "a") == ["- a: 1", "+ a: 2"]


def test_where_it_names_nothing_all_that_the_program_says_differently():
    assert shown({"a": 1, "__defaults": []}, {"a": 2, "c": "x"}) == ["- a: 1", "+ a: 2", '+ c: "x"']


def test_of_a_path_only_the_values_that_differ():
    old = {"spec": {"tags": {"a.b/c": "1", "d": "2"}, "e": None}}
    new = {"spec": {"tags": {"a.b/c": "3", "d": "2"}}}

    assert shown(old, new, "spec") == ['- spec.tags["a.b/c"]: "1"', '+ spec.tags["a.b/c"]: "3"']


def test_an_element_of_a_list_that_comes_or_goes_moves_no_other():
    old, new = {"l": ["a", "b", "c"]}, {"l": ["b", "x", "c", {"k": 1}]}

    assert shown(old, new, "l") == ['- l[0]: "a"', '+ l[1]: "x"', '+ l[3]: {"k": 1}']
    assert shown({"l": [{"k": 1, "v": 1}]}, {"l": [{"k": 1, "v": 2}]}) == [
        "- l[0].v: 1",
        "+ l[0].v: 2",
    ]


def test_what_differs_from_what_the_provider_read_is_shown_from_there():
    made = step(
        "update",
        "acme:index:Thing",
        old={"size": 5},
        new={"size": 5},
        detailedDiff={"size": {"kind": "update"}},
    )
    made["oldState"]["outputs"] = {"size": 7}
    (change,) = [one for one in preview(made).changes if one.operation == "update"]

    assert lines(differences(change)) == ["- size: 7", "+ size: 5"]


def test_json_that_says_the_same_does_not_differ():
    old, new = '{"a": 1, "b": [2]}', '{"b":[2],"a":1}'

    assert shown({"policy": old, "n": 1}, {"policy": new, "n": 2}) == ["- n: 1", "+ n: 2"]


def test_json_and_user_data_are_shown_line_by_line():
    document = {"Statement": [{"Action": ["s3:Get*"], "Effect": "Allow"}]}
    wider = {"Statement": [{"Action": ["s3:Get*", "s3:Put*"], "Effect": "Allow"}]}
    script = "".join(f"line {i}\n" for i in range(20))
    other = script.replace("line 7\n", "line seven\n")

    told = shown({"p": json.dumps(document)}, {"p": json.dumps(wider)})
    data = [base64.b64encode(text.encode()).decode() for text in (script, other)]

    assert [line for line in told if line[0] in "+-"] == [
        '-    "s3:Get*"',
        '+    "s3:Get*",',
        '+    "s3:Put*"',
    ]
    assert shown({"userData": data[0]}, {"userData": data[1]}) == [
        "  userData:",
        " line 5",
        " line 6",
        "-line 7",
        "+line seven",
        " line 8",
        " line 9",
    ]


def test_what_only_up_will_tell_says_so():
    assert shown({"a": "x"}, {"a": UNKNOWN}) == ['- a: "x"', "+ a: known after up"]


def test_long_values_are_cut_and_say_so():
    told = shown({"a": "x" * 1_000}, {"a": "y"})
    many = shown({}, {f"k{i}": i for i in range(ALL_LINES + 5)})

    assert told[0].endswith("x… (767 more characters)")
    assert len(many) == ALL_LINES
    assert many[-1] == "  … 6 more lines"
