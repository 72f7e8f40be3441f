"""Resources of a program called ours, and what the rules say about them."""

from collections.abc import Sequence
from typing import Any

from frugal_eks.plans.policy.enforcing import Enforcement, Violation
from frugal_eks.plans.policy.rule import ResourceRule, Settings
from frugal_eks.plans.policy.rules import IN_THE_PACK
from frugal_eks.plans.previews import Resource

BY_NAME = {rule.name: rule for rule in IN_THE_PACK}


def resource(type_token: str, inputs: dict[str, Any], name: str = "x", **more: Any) -> Resource:
    """One of them; its name is the last part of its URN."""
    urn = f"urn:pulumi:dev::ours::{type_token}::{name}"
    return Resource(urn=urn, type=type_token, inputs=inputs, **more)


def found(
    rule: str, resources: Sequence[Resource], enforcement: Enforcement | None = None
) -> list[Violation]:
    """What one rule finds in them."""
    judge, enforcement = BY_NAME[rule], enforcement or Enforcement()
    if isinstance(judge, ResourceRule):
        return [v for one in resources for v in enforcement.of_resource(judge, one)]
    return [*enforcement.of_stack(judge, resources)]


def told(rule: str, *resources: Resource, **settings: Any) -> list[str]:
    """The texts of what one rule finds."""
    return [one.text for one in found(rule, resources, Enforcement(Settings(**settings)))]
