"""Applies rules to resources: what is found, what of it is excepted, which exceptions are unused.

Knows nothing of the engine: the pack and `./frugal-eks policy` both work through it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from frugal_eks.plans.policy.reading import each, is_unknown, mapping, number
from frugal_eks.plans.policy.rule import (
    ChangeRule,
    Finding,
    ResourceRule,
    Rule,
    Settings,
    StackRule,
)
from frugal_eks.plans.previews import Preview, Resource

PLATFORM = "frugal-eks:index:Platform"
"""Its input `policy` is that section of the stack file."""


class Violation(NamedTuple):
    """What is told."""

    rule: Rule
    urn: str
    """Empty: the stack as a whole."""
    text: str
    """What is wrong, and what to do."""


def section(value: object) -> Settings:
    """Settings as a stack file spells them, of the Platform's inputs or of the pack's own."""
    given = mapping(value)
    reasons = {str(key): str(reason) for key, reason in mapping(given.get("except")).items()}
    return Settings(
        exceptions=reasons,
        required_tags=tuple(str(key) for key in each(given.get("requiredTags"))),
        min_spot_share=number(given.get("minSpotShare")),
        monthly_budget_usd=number(given.get("monthlyBudgetUsd")),
    )


@dataclass
class Enforcement:
    """One operation of one stack: settings and inputs as the resources come in."""

    settings: Settings = field(default_factory=Settings)
    inputs: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By URN."""
    used: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """What each exception has covered, by its key: told once, however often it is looked at."""

    def meet(self, resource: Resource) -> None:
        """A resource that is about to be made. The Platform comes before all that it excepts."""
        self.inputs[resource.urn] = resource.inputs
        if resource.type == PLATFORM:
            found = section(resource.inputs.get("policy"))
            self.settings = replace(found, region=self.settings.region)

    def at(self, region: object) -> None:
        """Whose prices count, where somebody knows it."""
        if isinstance(region, str) and not is_unknown(region):
            self.settings = replace(self.settings, region=region)

    def of_resource(
        self, rule: ResourceRule, resource: Resource, own: Settings | None = None
    ) -> Iterator[Violation]:
        """What the rule finds in one resource; `own` are settings of the pack for this rule."""
        settings = _both(self.settings, own)
        findings = (Finding(resource.urn, told) for told in rule.check(resource, settings))
        yield from self._left(rule, findings, settings)

    def of_stack(
        self, rule: StackRule, resources: Sequence[Resource], own: Settings | None = None
    ) -> Iterator[Violation]:
        """What the rule finds in all of them."""
        settings = _both(self.settings, own)
        yield from self._left(rule, rule.check(resources, settings), settings)

    def of_changes(
        self, rule: ChangeRule, preview: Preview, own: Settings | None = None
    ) -> Iterator[Violation]:
        """What the rule finds in a preview."""
        yield from self._left(rule, rule.check(preview), _both(self.settings, own))

    def exceptions(self) -> Iterator[str]:
        """Each of the stack file's, with its reason and with how much it covers."""
        for key, reason in self.settings.exceptions.items():
            covered = len(self.used.get(key, ()))
            if covered:
                things = "finding" if covered == 1 else "findings"
                yield f"{key} covers {covered} {things}: {reason}"
            else:
                yield f"{key} covers nothing any more: drop it from policy.except"

    def _left(
        self, rule: Rule, findings: Iterable[Finding], settings: Settings
    ) -> Iterator[Violation]:
        for finding in findings:
            name = finding.urn.rpartition("::")[2]
            if key := settings.exception(rule.name, name):
                self.used.setdefault(key, set()).add(f"{finding.urn} {finding.told}")
            else:
                yield Violation(rule, finding.urn, f"{finding.told}: {rule.remedy}.")


def _both(stack: Settings, own: Settings | None) -> Settings:
    """The stack's own word counts; where it has none, the pack's configuration."""
    if own is None:
        return stack
    return Settings(
        exceptions={**own.exceptions, **stack.exceptions},
        required_tags=stack.required_tags or own.required_tags,
        min_spot_share=_first(stack.min_spot_share, own.min_spot_share),
        monthly_budget_usd=_first(stack.monthly_budget_usd, own.monthly_budget_usd),
        region=stack.region or own.region,
    )


def _first(one: float | None, other: float | None) -> float | None:
    return other if one is None else one
