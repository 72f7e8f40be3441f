"""Holds a preview's file to the rules, deletions included.

  python -m policy preview.json      what `pulumi preview --json --show-sames` printed
  python -m policy - < preview.json  the same, from standard input
  python -m policy preview.json --config rules.json
                                     of a program without a stack file of frugal-eks

Needs neither an engine nor an account. Writes Markdown. Exit code 1: a mandatory rule is broken.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from policy.configuration import ConfigurationError, of_rule, read
from policy.enforcing import Enforcement, Violation
from policy.rule import ChangeRule, ResourceRule
from policy.rules import RULES
from previews import Preview, PreviewError

NOTHING: Mapping[str, Any] = {}
_REGION = "aws:region"
_SHOWN = 10
"""Resources that break one rule in one way: those above are counted."""


def violations(
    preview: Preview, enforcement: Enforcement, configuration: Mapping[str, Any]
) -> Iterator[Violation]:
    """Of all rules, over the resources that there would be after `up`."""
    resources = [*preview.after]
    for one in resources:
        enforcement.meet(one)
    enforcement.at(preview.config.get(_REGION))
    for shipped in RULES:
        level, own = of_rule(configuration, shipped)
        if level is None:
            continue
        rule = replace(shipped, level=level)
        if isinstance(rule, ChangeRule):
            yield from enforcement.of_changes(rule, preview, own)
        elif isinstance(rule, ResourceRule):
            for one in resources:
                yield from enforcement.of_resource(rule, one, own)
        else:
            yield from enforcement.of_stack(rule, resources, own)


def markdown(found: Sequence[Violation], exceptions: Sequence[str]) -> str:
    """Mandatory rules first; under each rule what breaks it, grouped by what is wrong."""
    lines: list[str] = []
    rules = {one.rule.name: one.rule for one in found}
    for rule in sorted(rules.values(), key=lambda rule: rule.level != "mandatory"):
        lines.append(f"- **{rule.name}** ({rule.level}): {rule.reason}")
        by_text: dict[str, list[str]] = {}
        for one in found:
            if one.rule.name == rule.name:
                by_text.setdefault(one.text, []).append(one.urn.rpartition("::")[2])
        for text, names in by_text.items():
            named = ", ".join(f"`{name}`" for name in names[:_SHOWN] if name)
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            lines.append(f"  - {named}{more}: {text}" if named else f"  - {text}")
    lines += [f"- excepted: {told}" for told in exceptions]
    return "\n".join(lines) or "No rule is broken."


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 too for a file that is no whole preview, 2 for wrong usage."""
    description, _, examples = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m policy",
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a preview's JSON; - is standard input")
    parser.add_argument(
        "--config", type=Path, help="levels, settings and exceptions: see docs/policy.md"
    )
    given = parser.parse_args(arguments)
    file = given.file
    try:
        names = {rule.name for rule in RULES}
        configuration = read(given.config, names) if given.config else NOTHING
        preview = Preview.parse(sys.stdin.read()) if file == "-" else Preview.read(Path(file))
    except (ConfigurationError, PreviewError) as error:
        print(error, file=sys.stderr)
        return 1
    enforcement = Enforcement()
    found = [*violations(preview, enforcement, configuration)]
    print(markdown(found, [*enforcement.exceptions()]))
    return int(any(one.rule.level == "mandatory" for one in found))
