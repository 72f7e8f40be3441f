"""docs/policy.md tells the rules that there are."""

import re

from frugal_eks.plans.policy.rules import RULES
from frugal_eks.plans.policy.table import table
from rehearsal.state import ROOT

PAGE = (ROOT / "docs" / "policy.md").read_text()


def test_the_page_has_the_rules_with_their_reasons_and_remedies():
    found = re.search(r"<!-- rules -->\n\n(.*)\n\n<!-- /rules -->", PAGE, re.DOTALL)

    assert found
    # Else: python -c "from frugal_eks.plans.policy.table import table; print(table())"
    assert found[1] == table()


def test_the_page_explains_no_rule_that_is_not_there():
    names = {rule.name for rule in RULES}
    explained = re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)

    assert set(explained) == names


def test_no_text_of_a_rule_breaks_the_table():
    assert [rule.name for rule in RULES if "|" in rule.reason + rule.remedy] == []
