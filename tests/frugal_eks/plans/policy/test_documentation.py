"""docs/policy.md tells the rules that there are."""

import re

from frugal_eks import markdown_table
from frugal_eks.plans.policy.rules import RULES
from rehearsal.state import ROOT

PAGE = (ROOT / "docs" / "policy.md").read_text()


def test_the_page_has_the_rules_with_their_reasons_and_remedies():
    rows = [(f"`{rule.name}`", rule.level, rule.reason, rule.remedy) for rule in RULES]
    table = "\n".join(markdown_table.table(("rule", "level", "why", "what to do"), rows))

    assert f"<!-- rules -->\n\n{table}\n\n<!-- /rules -->" in PAGE, table


def test_the_page_explains_no_rule_that_is_not_there():
    names = {rule.name for rule in RULES}
    explained = re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)

    assert set(explained) == names


def test_no_text_of_a_rule_breaks_the_table():
    assert [rule.name for rule in RULES if "|" in rule.reason + rule.remedy] == []
