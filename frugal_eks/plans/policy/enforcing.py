"""Applies rules to resources, and tracks which exceptions are used.

Independent of the engine: the policy pack and `./frugal-eks policy` both use it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from frugal_eks.plans.json_values import mapping
from frugal_eks.plans.policy.reading import each, is_unknown, number
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
"""Type whose input `policy` is that section of the stack file."""


class Violation(NamedTuple):
    """A broken rule."""

    rule: Rule
    urn: str
    """URN of the resource; empty for the stack as a whole."""
    text: str
    """Problem and remedy."""


def section(value: object) -> Settings:
    """Settings spelled as in a stack file, from the Platform's inputs or the pack's
    configuration.
    """
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
    """Settings and inputs that accumulate while the resources of one operation on a stack
    arrive.
    """

    settings: Settings = field(default_factory=Settings)
    inputs: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Inputs by URN."""
    used: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Findings that each exception has covered, by the exception's key; a repeated finding counts
    once.
    """

    def meet(self, resource: Resource) -> None:
        """Notes a resource that is about to be created. The Platform must precede what it
        excepts.
        """
        self.inputs[resource.urn] = resource.inputs
        if resource.type == PLATFORM:
            settings = section(resource.inputs.get("policy"))
            self.settings = replace(settings, region=self.settings.region)

    def at(self, region: object) -> None:
        """Sets the region whose prices count, if it is known."""
        if isinstance(region, str) and not is_unknown(region):
            self.settings = replace(self.settings, region=region)

    def of_resource(
        self, rule: ResourceRule, resource: Resource, own: Settings | None = None
    ) -> Iterator[Violation]:
        """Violations of the rule in one resource; `own` are the pack's settings for this rule."""
        settings = _both(self.settings, own)
        findings = (Finding(resource.urn, problem) for problem in rule.check(resource, settings))
        yield from self._left(rule, findings, settings)

    def of_stack(
        self, rule: StackRule, resources: Sequence[Resource], own: Settings | None = None
    ) -> Iterator[Violation]:
        """Violations of the rule in all resources."""
        settings = _both(self.settings, own)
        yield from self._left(rule, rule.check(resources, settings), settings)

    def of_changes(
        self, rule: ChangeRule, preview: Preview, own: Settings | None = None
    ) -> Iterator[Violation]:
        """Violations of the rule in a preview."""
        yield from self._left(rule, rule.check(preview), _both(self.settings, own))

    def exceptions(self) -> Iterator[str]:
        """One sentence for each of the stack file's exceptions: its reason and how much it
        covers.
        """
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
                self.used.setdefault(key, set()).add(f"{finding.urn} {finding.problem}")
            else:
                yield Violation(rule, finding.urn, f"{finding.problem}: {rule.remedy}.")


def _both(stack: Settings, own: Settings | None) -> Settings:
    """Merges two settings: the stack's values count before the pack's configuration."""
    if own is None:
        return stack
    return Settings(
        exceptions={**own.exceptions, **stack.exceptions},
        required_tags=stack.required_tags or own.required_tags,
        min_spot_share=_first(stack.min_spot_share, own.min_spot_share),
        monthly_budget_usd=_first(stack.monthly_budget_usd, own.monthly_budget_usd),
        region=stack.region or own.region,
    )


def _first(first: float | None, other: float | None) -> float | None:
    return other if first is None else first
