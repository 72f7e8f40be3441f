from collections import Counter

import pytest

from components.karpenter.crd_files import crd
from components.karpenter.crd_rules import refusals
from tests.components.karpenter.every_rule import classes, pools, selectors
from tests.components.karpenter.every_rule.sections import broken, told
from tests.components.karpenter.every_rule.unreachable import RULES

BROKEN = {
    (kind, where, message): (section, said)
    for kind, table in (
        ("NodePool", pools.BROKEN),
        ("EC2NodeClass", classes.BROKEN),
        ("EC2NodeClass", selectors.BROKEN),
    )
    for where, message, section, said in table
}


def written(schema, where="spec"):
    """Place and message of each rule below, and the rule."""
    for rule in schema.get("x-kubernetes-validations", []):
        yield where, rule["message"], rule["rule"]
    for key, below in schema.get("properties", {}).items():
        yield from written(below, f"{where}.{key}")
    if isinstance(schema.get("items"), dict):
        yield from written(schema["items"], f"{where}[]")


WRITTEN = {
    (kind, where, message): rule
    for kind in ("NodePool", "EC2NodeClass")
    for where, message, rule in written(crd(kind).schema["properties"]["spec"])
}


@pytest.mark.feature("C-10")
def test_no_rule_is_left_out():
    assert Counter(kind for kind, *_ in WRITTEN) == {"NodePool": 20, "EC2NodeClass": 54}
    assert BROKEN.keys() | RULES.keys() == WRITTEN.keys()
    assert not BROKEN.keys() & RULES.keys()


@pytest.mark.feature("C-10")
@pytest.mark.parametrize(("kind", "where", "message"), BROKEN)
def test_a_broken_rule_is_told_at_its_place_in_the_stack_file(kind, where, message):
    section, (path, words, value) = BROKEN[kind, where, message]
    section = section if kind == "EC2NodeClass" else {"nodeClass": "default"} | section

    rules = {refusal.rule for refusal in broken(kind, section)}
    found = told(kind, section)

    assert WRITTEN[kind, where, message] in rules
    at_the_place = [each for each in found if each[0] == path]
    assert any(words in problem and shown == value for _, problem, shown in at_the_place), found


@pytest.mark.feature("C-10")
@pytest.mark.parametrize(("kind", "where", "message"), RULES)
def test_a_rule_that_no_stack_file_can_break_is_checked_all_the_same(kind, where, message):
    new, old = RULES[kind, where, message].objects

    rules = {refusal.rule for refusal in refusals(kind, new, old=old)}

    assert WRITTEN[kind, where, message] in rules
