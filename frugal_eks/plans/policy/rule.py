"""Types of policy rules, and the settings of a stack for them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from frugal_eks.plans.previews import Preview, Resource

Level = Literal["mandatory", "advisory"]
"""mandatory: a violation fails the preview. advisory: a violation is only reported."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings for the rules: section `policy` of a stack file, or the pack's configuration."""

    exceptions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Reasons by `RULE`, or by `RULE/RESOURCE` to except resources of that name alone; `*` in the
    name stands for any letters.
    """
    required_tags: tuple[str, ...] = ()
    """Tag keys that every resource with tags must carry."""
    min_spot_share: float | None = None
    """Least share on spot of the vCPUs that may run, 0 to 1. None: no rule."""
    monthly_budget_usd: float | None = None
    """USD a month. None: no budget."""
    region: str | None = None
    """Region whose prices count."""

    def exception(self, rule: str, resource: str) -> str | None:
        """Key of the exception for a resource name, or None."""
        for key in self.exceptions:
            of, slash, pattern = key.partition("/")
            if of == rule and (not slash or fnmatchcase(resource, pattern)):
                return key
        return None


class Finding(NamedTuple):
    """A place where a rule is broken."""

    urn: str
    """URN of the resource; empty for the stack as a whole."""
    problem: str
    """Problem with path and value; the rule's remedy follows it."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Fields that all rules have."""

    name: str
    level: Level
    reason: str
    """Why the rule exists, in one sentence."""
    remedy: str
    """Remedy for a finding, without a full stop."""


@dataclass(frozen=True, kw_only=True)
class ResourceRule(Rule):
    """A rule about one resource by itself; checked before the resource is created."""

    check: Callable[[Resource, Settings], Iterable[str]]
    """Yields one text for each problem of a resource."""


@dataclass(frozen=True, kw_only=True)
class StackRule(Rule):
    """A rule about all resources together."""

    check: Callable[[Sequence[Resource], Settings], Iterable[Finding]]


@dataclass(frozen=True, kw_only=True)
class ChangeRule(Rule):
    """A rule about operations on resources, which only a preview file shows."""

    check: Callable[[Preview], Iterable[Finding]]
