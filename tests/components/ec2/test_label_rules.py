import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.ec2.label_rules import LabelRule, rules_of

ABSENT = None
VALUES = ["a", "b", "2", "5", "9"]


def rule(*clauses):
    """What several requirements of one key leave, each as (operator, values…)."""
    asked = [{"key": "k", "operator": operator, "values": values} for operator, *values in clauses]
    return rules_of(asked)["k"]


def left(found):
    """The sample values that fit, and None where the label may be absent."""
    absent = [ABSENT] if found.allows_absence else []
    return [value for value in VALUES if found.allows(value)] + absent


@pytest.mark.parametrize(
    ("clauses", "values"),
    [
        ([("In", "a", "5")], ["a", "5"]),
        ([("NotIn", "a", "5")], ["b", "2", "9", ABSENT]),
        ([("Exists",)], VALUES),
        ([("DoesNotExist",)], [ABSENT]),
        ([("Gt", "5")], ["9"]),
        ([("Gte", "5")], ["5", "9"]),
        ([("Lt", "5")], ["2"]),
        ([("Lte", "5")], ["2", "5"]),
        ([("Gt", "2"), ("Lt", "9")], ["5"]),
        ([("Gte", "2"), ("Gte", "5")], ["5", "9"]),
        ([("Lte", "5"), ("Lte", "2")], ["2"]),
        ([("In", "a", "b"), ("In", "b", "5")], ["b"]),
        ([("In", "a", "b"), ("NotIn", "b")], ["a"]),
        ([("NotIn", "b"), ("In", "a", "b")], ["a"]),
        ([("NotIn", "a"), ("NotIn", "b")], ["2", "5", "9", ABSENT]),
        ([("In", "2", "9", "a"), ("Gt", "3")], ["9"]),
        ([("Exists",), ("In", "a")], ["a"]),
        # Karpenter's own arithmetic: two that leave nothing are a DoesNotExist.
        ([("In", "a"), ("In", "b")], [ABSENT]),
        ([("Gt", "5"), ("Lt", "3")], [ABSENT]),
        ([("In", "a"), ("DoesNotExist",)], [ABSENT]),
        ([("NotIn", "5"), ("Gt", "2")], ["9", ABSENT]),
        # What is out of bounds anyway is forgotten, and with it that absence would do.
        ([("NotIn", "2"), ("Gt", "2")], ["5", "9"]),
    ],
)
def test_requirements_of_one_key_leave_what_karpenter_leaves(clauses, values):
    assert left(rule(*clauses)) == values


def test_a_bound_on_a_list_is_done_with_once_the_list_is_cut():
    assert rule(("In", "2", "9"), ("Gt", "3")) == LabelRule(frozenset({"9"}))


def test_keys_stay_apart_and_a_label_is_an_in():
    asked = [
        {"key": "k", "operator": "In", "values": ["a", "b"]},
        {"key": "l", "operator": "Exists"},
    ]

    rules = rules_of(asked, {"k": "b", "intent": "apps"})

    assert rules == {
        "k": LabelRule(frozenset({"b"})),
        "l": LabelRule(others=True),
        "intent": LabelRule(frozenset({"apps"})),
    }


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (("In", "a", "b"), ("In", "b"), True),
        (("In", "a"), ("In", "b"), False),
        (("In", "a"), ("NotIn", "a"), False),
        (("In", "a"), ("DoesNotExist",), False),
        (("NotIn", "a"), ("DoesNotExist",), True),
        (("Exists",), ("DoesNotExist",), False),
        (("Gt", "5"), ("Lt", "5"), False),
        (("Gte", "5"), ("Lte", "5"), True),
        (("Exists",), ("Gt", "5"), True),
    ],
)
def test_two_rules_meet_where_some_node_fits_both(one, other, meet):
    assert rule(one).meets(rule(other)) is meet
    assert rule(other).meets(rule(one)) is meet


NUMBERS = st.integers(0, 9).map(str)
CLAUSES = st.one_of(
    st.tuples(st.sampled_from(["In", "NotIn"]), st.sampled_from(VALUES), st.sampled_from(VALUES)),
    st.tuples(st.sampled_from(["Gt", "Gte", "Lt", "Lte"]), NUMBERS),
    st.tuples(st.sampled_from(["Exists", "DoesNotExist"])),
)


@given(st.tuples(CLAUSES, CLAUSES, CLAUSES))
def test_a_value_fits_several_requirements_if_it_fits_each_in_whatever_order(clauses):
    found = rule(*clauses)

    assert rule(*reversed(clauses)) == found
    each = [rule(clause) for clause in clauses]
    assert [v for v in VALUES if found.allows(v)] == [
        v for v in VALUES if all(one.allows(v) for one in each)
    ]


@given(st.lists(st.sampled_from(VALUES), min_size=1))
def test_what_is_in_is_not_what_is_not_in(values):
    inside, outside = left(rule(("In", *values))), left(rule(("NotIn", *values)))

    assert sorted([*inside, *outside], key=str) == sorted([*VALUES, ABSENT], key=str)
