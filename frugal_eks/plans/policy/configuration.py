"""Configuration of the policy pack, by rule name, for programs that are not frugal-eks."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from frugal_eks.errors import CommandError
from frugal_eks.plans.json_values import mapping
from frugal_eks.plans.policy.enforcing import section
from frugal_eks.plans.policy.reading import Object, is_unknown
from frugal_eks.plans.policy.rule import Level, Rule, Settings

LEVELS = {"mandatory", "advisory", "disabled"}
ALL = "all"
"""Key that stands for every rule, as in Pulumi's own file."""


class Configured(NamedTuple):
    """Configuration of one rule."""

    level: Level | None
    """None if the rule is disabled."""
    settings: Settings | None


def own_settings(rule: str, given: Object) -> Settings | None:
    """Settings of one rule from its configuration; its exceptions are by resource."""
    if not given:
        return None
    reasons = mapping(given.get("except"))
    settings = section(
        {**given, "except": {f"{rule}/{name}": why for name, why in reasons.items()}}
    )
    region = given.get("region")
    return replace(settings, region=region if isinstance(region, str) else None)


def of_rule(configuration: Mapping[str, Any], rule: Rule) -> Configured:
    """Level and settings of a rule; the rule's own entry overrides the one for all rules."""
    own = configuration.get(rule.name, configuration.get(ALL, rule.level))
    given = mapping(own)
    level = given.get("enforcementLevel", rule.level) if given else own
    return Configured(
        None if level == "disabled" else cast(Level, level), own_settings(rule.name, given)
    )


def read(file: Path, names: set[str]) -> Mapping[str, Any]:
    """Reads the file that `--policy-pack-config` takes. Raises CommandError."""
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{file}: cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise CommandError(f"{file}: is no JSON (line {error.lineno}: {error.msg})") from None
    for name, value in mapping(read).items():
        if name not in names | {ALL}:
            raise CommandError(f"{file}: no rule is called {name}: docs/policy.md lists them")
        level = mapping(value).get("enforcementLevel", value)
        if isinstance(level, str) and level not in LEVELS:
            known = ", ".join(sorted(LEVELS))
            raise CommandError(f'{file}: {name}: choose one of {known} (got "{level}")')
        for resource, why in mapping(mapping(value).get("except")).items():
            if not isinstance(why, str) or not why.strip() or is_unknown(why):
                raise CommandError(
                    f"{file}: {name}.except.{resource}: say why, for whoever looks at it in a year"
                )
    return mapping(read)
