"""Shows findings: a table for people, JSON for programs."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from frugal_eks.preflight.findings import Finding, Result

LAST = (Result.OK, Result.UNKNOWN, Result.FAILS)
"""Order of results; what matters is nearest to the prompt."""
STYLES = {Result.OK: "green", Result.FAILS: "bold red", Result.UNKNOWN: "yellow"}


def table(findings: Sequence[Finding]) -> Table:
    """A row for each finding; those that would stop `up` come last."""
    drawn = Table()
    for column in ("check", "result", "what there is", "remedy"):
        drawn.add_column(column, overflow="fold")
    for finding in sorted(findings, key=lambda each: LAST.index(each.result)):
        style = STYLES[finding.result]
        result = f"[{style}]{finding.result}[/]"
        texts = (escape(finding.check), result, escape(finding.detail), escape(finding.remedy))
        drawn.add_row(*texts)
    return drawn


def summary(findings: Sequence[Finding], where: str) -> str:
    """Sentence with the numbers of failing and unclear checks."""
    failing = sum(finding.result is Result.FAILS for finding in findings)
    unclear = sum(finding.result is Result.UNKNOWN for finding in findings)
    sentence = f"`pulumi up` {where} would " + (
        f"fail at {failing} of {len(findings)} checks"
        if failing
        else f"not be stopped by any of {len(findings)} checks"
    )
    return f"{sentence}; {unclear} cannot be told." if unclear else f"{sentence}."


def as_json(findings: Sequence[Finding], about: dict[str, str]) -> dict[str, object]:
    """Findings for programs; `about` names stack, account, region and cluster."""
    checks = [
        {
            "check": finding.check,
            "result": finding.result,
            "found": finding.detail,
            "remedy": finding.remedy,
            "missingActions": finding.missing,
        }
        for finding in findings
    ]
    failing = any(finding.result is Result.FAILS for finding in findings)
    return {**about, "wouldFail": failing, "checks": checks}
