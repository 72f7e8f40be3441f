"""The rules as the documentation lists them."""

from frugal_eks.plans.policy.rules import RULES


def table() -> str:
    """Markdown, between the marks `<!-- rules -->` of docs/policy.md."""
    lines = ["| rule | level | why | what to do |", "| --- | --- | --- | --- |"]
    lines += [f"| `{one.name}` | {one.level} | {one.reason} | {one.remedy} |" for one in RULES]
    return "\n".join(lines)
