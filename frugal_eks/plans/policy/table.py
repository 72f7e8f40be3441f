"""Table of the rules for the documentation."""

from frugal_eks import markdown_table
from frugal_eks.plans.policy.rules import RULES


def table() -> str:
    """Markdown between the marks `<!-- rules -->` of docs/policy.md."""
    rows = [(f"`{rule.name}`", rule.level, rule.reason, rule.remedy) for rule in RULES]
    return "\n".join(markdown_table.table(("rule", "level", "why", "what to do"), rows))
