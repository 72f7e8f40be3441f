"""Holds a preview to the rules of the policy pack, deletions included.

  frugal-eks policy preview.json
      what `pulumi preview --json --show-sames` printed
  frugal-eks policy preview.json --config rules.json
      of a program without a stack file of frugal-eks

Needs neither an engine nor an account. Writes Markdown. A broken mandatory rule gives exit code 1.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from frugal_eks.arguments import add_output, add_preview
from frugal_eks.output import print_json
from frugal_eks.plans.policy.configuration import of_rule, read
from frugal_eks.plans.policy.enforcing import Enforcement, Violation
from frugal_eks.plans.policy.rule import ChangeRule, ResourceRule
from frugal_eks.plans.policy.rules import RULES
from frugal_eks.plans.previews import Preview

NOTHING: Mapping[str, Any] = {}
_REGION = "aws:region"
_SHOWN = 10
"""Number of resources shown for each rule and problem; others are only counted."""


def violations(
    preview: Preview, enforcement: Enforcement, configuration: Mapping[str, Any]
) -> Iterator[Violation]:
    """Violations of all rules, over the resources as they would be after `up`."""
    resources = [*preview.after]
    for resource in resources:
        enforcement.meet(resource)
    enforcement.at(preview.config.get(_REGION))
    for shipped in RULES:
        level, own = of_rule(configuration, shipped)
        if level is None:
            continue
        rule = replace(shipped, level=level)
        if isinstance(rule, ChangeRule):
            yield from enforcement.of_changes(rule, preview, own)
        elif isinstance(rule, ResourceRule):
            for resource in resources:
                yield from enforcement.of_resource(rule, resource, own)
        else:
            yield from enforcement.of_stack(rule, resources, own)


def markdown(broken: Sequence[Violation], exceptions: Sequence[str]) -> str:
    """Violations as Markdown: mandatory rules first, under each rule the resources grouped by
    problem.
    """
    lines: list[str] = []
    rules = {violation.rule.name: violation.rule for violation in broken}
    for rule in sorted(rules.values(), key=lambda rule: rule.level != "mandatory"):
        lines.append(f"- **{rule.name}** ({rule.level}): {rule.reason}")
        by_text: dict[str, list[str]] = {}
        for violation in broken:
            if violation.rule.name == rule.name:
                by_text.setdefault(violation.text, []).append(violation.urn.rpartition("::")[2])
        for text, names in by_text.items():
            named = ", ".join(f"`{name}`" for name in names[:_SHOWN] if name)
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            lines.append(f"  - {named}{more}: {text}" if named else f"  - {text}")
    lines += [f"- excepted: {exception}" for exception in exceptions]
    return "\n".join(lines) or "No rule is broken."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preview, and the configuration of the rules."""
    add_preview(parser)
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="levels, settings and exceptions: see docs/policy.md",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the violations; returns 1 if a mandatory rule is broken."""
    names = {rule.name for rule in RULES}
    configuration = read(arguments.config, names) if arguments.config else NOTHING
    enforcement = Enforcement()
    broken = [*violations(Preview.read(arguments.preview), enforcement, configuration)]
    exceptions = [*enforcement.exceptions()]
    if arguments.json:
        print_json({"violations": [*map(_as_json, broken)], "exceptions": exceptions})
    else:
        print(markdown(broken, exceptions))
    return int(any(violation.rule.level == "mandatory" for violation in broken))


def _as_json(violation: Violation) -> dict[str, str]:
    return {
        "rule": violation.rule.name,
        "level": violation.rule.level,
        "urn": violation.urn,
        "problem": violation.text,
    }
