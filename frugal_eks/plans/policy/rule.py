"""What a rule is, and what a stack may ask of the rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from frugal_eks.plans.previews import Preview, Resource

Level = Literal["mandatory", "advisory"]
"""mandatory: the preview fails. advisory: it is told."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a stack asks for: section `policy` of a stack file, or the pack's configuration."""

    exceptions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Reasons by `RULE`, or by `RULE/RESOURCE` where it counts for resources of that name alone;
    `*` in the name stands for any letters."""
    required_tags: tuple[str, ...] = ()
    """Keys that everything with tags must carry."""
    min_spot_share: float | None = None
    """Of the vCPUs that may run, the least share on spot: 0 to 1. None: no matter."""
    monthly_budget_usd: float | None = None
    """None: no budget."""
    region: str | None = None
    """Whose prices count."""

    def exception(self, rule: str, resource: str) -> str | None:
        """The key under which a finding is excepted, or None; `resource` is a name."""
        for key in self.exceptions:
            of, slash, pattern = key.partition("/")
            if of == rule and (not slash or fnmatchcase(resource, pattern)):
                return key
        return None


class Finding(NamedTuple):
    """Where a rule is broken."""

    urn: str
    """Empty: the stack as a whole."""
    told: str
    """What is wrong, with path and value; the rule's remedy follows it."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What all rules have."""

    name: str
    level: Level
    reason: str
    """Why, in one sentence."""
    remedy: str
    """What to do about a finding, without a full stop."""


@dataclass(frozen=True, kw_only=True)
class ResourceRule(Rule):
    """Looks at one resource by itself; told before that resource is made."""

    check: Callable[[Resource, Settings], Iterable[str]]
    """What is wrong with it, one text a finding."""


@dataclass(frozen=True, kw_only=True)
class StackRule(Rule):
    """Looks at all resources that there will be."""

    check: Callable[[Sequence[Resource], Settings], Iterable[Finding]]


@dataclass(frozen=True, kw_only=True)
class ChangeRule(Rule):
    """Looks at what becomes of resources, which only a preview's file tells."""

    check: Callable[[Preview], Iterable[Finding]]
