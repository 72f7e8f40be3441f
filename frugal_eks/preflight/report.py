"""Shows what was found: a table for people, JSON for programs."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from frugal_eks.preflight.findings import Finding, Result

LAST = (Result.OK, Result.UNKNOWN, Result.FAILS)
"""What matters stands nearest to the prompt."""
STYLES = {Result.OK: "green", Result.FAILS: "bold red", Result.UNKNOWN: "yellow"}


def table(findings: Sequence[Finding]) -> Table:
    """One row a finding, those that would stop `up` at the end."""
    drawn = Table()
    for column in ("check", "result", "what there is", "remedy"):
        drawn.add_column(column, overflow="fold")
    for finding in sorted(findings, key=lambda each: LAST.index(each.result)):
        style = STYLES[finding.result]
        result = f"[{style}]{finding.result}[/]"
        texts = (escape(finding.check), result, escape(finding.found), escape(finding.remedy))
        drawn.add_row(*texts)
    return drawn


def summary(findings: Sequence[Finding], where: str) -> str:
    """One sentence."""
    failing = sum(finding.result is Result.FAILS for finding in findings)
    unclear = sum(finding.result is Result.UNKNOWN for finding in findings)
    told = f"`pulumi up` {where} would " + (
        f"fail at {failing} of {len(findings)} checks"
        if failing
        else f"not be stopped by any of {len(findings)} checks"
    )
    return f"{told}; {unclear} cannot be told." if unclear else f"{told}."


def as_json(findings: Sequence[Finding], about: dict[str, str]) -> dict[str, object]:
    """`about` names stack, account, region and cluster."""
    checks = [
        {
            "check": finding.check,
            "result": finding.result,
            "found": finding.found,
            "remedy": finding.remedy,
            "missingActions": finding.missing,
        }
        for finding in findings
    ]
    failing = any(finding.result is Result.FAILS for finding in findings)
    return {**about, "wouldFail": failing, "checks": checks}
