"""Renders docs/aws-behaviours.md: how AWS misbehaves, and how this project responds."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from frugal_eks import markdown_table
from frugal_eks.dev.features.collected import Proof

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[2] / "docs" / "aws-behaviours.md"

_HEAD = """\
# How AWS misbehaves, and what this project makes of it

Each row is a way in which AWS, EKS, Fargate, Karpenter, Helm or the Pulumi engine has misbehaved
for others, with the sources. `frugal_eks/dev/features/aws-behaviours.yaml` has the quotes. The
rehearsal plays a behaviour where a test is named; nothing here was tried on AWS.

`python -m frugal_eks.dev.features --pages` writes this page, and `make features` fails when it is
out of date. """


class Behaviour(NamedTuple):
    """A documented misbehaviour of AWS, with this project's response."""

    id: str
    service: str
    when: str
    severity: str
    likelihood: str
    what: str
    evidence: tuple[str, ...]
    handled: str
    """Response of the program, a command or the documentation."""
    not_rehearsed: str
    """Reason why no test plays it; empty if a test does."""


def read(folder: Path = FOLDER) -> list[Behaviour]:
    """All behaviours in the order of the facts file. Raises KeyError if one has no answer."""
    facts = yaml.safe_load((folder / "aws-behaviours.yaml").read_text(encoding="utf-8"))
    answers = yaml.safe_load((folder / "handled.yaml").read_text(encoding="utf-8"))
    return [_behaviour(fact, answers[fact["id"]]) for fact in facts]


def _behaviour(fact: Mapping[str, Any], answer: Mapping[str, str]) -> Behaviour:
    return Behaviour(
        *(fact[key] for key in ("id", "service", "when", "severity", "likelihood")),
        what=" ".join(fact["what"].split()),
        evidence=tuple(source["ref"] for source in fact["evidence"]),
        handled=" ".join(answer["handled"].split()),
        not_rehearsed=" ".join(answer["not_rehearsed"].split()),
    )


def mistakes(rows: Iterable[Behaviour], proofs: Mapping[str, list[Proof]]) -> list[str]:
    """One sentence for each behaviour without an answer or test, and for each test mark with an
    unknown id.
    """
    rows = list(rows)
    where = "frugal_eks/dev/features/handled.yaml"
    unanswered = [
        f"{row.id}: write into {where} how it is handled" for row in rows if not row.handled
    ]
    unplayed = [
        f"{row.id}: no test plays it: write into {where} why it is not rehearsed"
        for row in rows
        if row.id not in proofs and not row.not_rehearsed
    ]
    both = [
        f"{row.id}: {proofs[row.id][0].test} plays it: drop not_rehearsed from {where}"
        for row in rows
        if row.id in proofs and row.not_rehearsed
    ]
    known = {row.id for row in rows}
    strangers = [
        f"{proof.test}: there is no behaviour {name}, write an id of "
        f"frugal_eks/dev/features/aws-behaviours.yaml"
        for name, named in sorted(proofs.items())
        if name not in known
        for proof in named
    ]
    return unanswered + unplayed + both + strangers


def page(rows: Iterable[Behaviour], proofs: Mapping[str, list[Proof]]) -> str:
    """The page as Markdown: counts, then a table for each service."""
    rows = list(rows)
    played = sum(row.id in proofs for row in rows)
    parts = [_HEAD, f"{len(rows)} behaviours, {played} played in the rehearsal."]
    for service in dict.fromkeys(row.service for row in rows):
        lines = [_line(row, proofs.get(row.id, [])) for row in rows if row.service == service]
        head = ("behaviour", "what AWS does", "handled", "rehearsed by")
        parts.append("\n".join([f"## {service}", "", *markdown_table.table(head, lines)]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _line(row: Behaviour, proofs: list[Proof]) -> tuple[str, ...]:
    tests = "<br>".join(f"`{proof.test}`" for proof in proofs)
    rehearsed = tests or f"not: {row.not_rehearsed}"
    weight = f"`{row.id}`<br>{row.when}, {row.severity}, {row.likelihood}"
    return weight, f"{row.what} ({', '.join(row.evidence)})", row.handled, rehearsed
