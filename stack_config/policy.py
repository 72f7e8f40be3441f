"""The stack's settings for the policy pack, and its exceptions."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from components.section import Mistake, Section

RULES = (
    "open-cluster-api",
    "public-cluster-api",
    "open-security-group",
    "public-load-balancer",
    "unpinned-chart",
    "unpinned-ami",
    "unpinned-image",
    "unpinned-addon",
    "unpinned-kubernetes",
    "missing-tags",
    "untagged",
    "unencrypted-secrets",
    "unencrypted-volume",
    "unencrypted-file-system",
    "unencrypted-queue",
    "unencrypted-log-group",
    "wildcard-iam",
    "anyone-trusted",
    "deletion-protection",
    "deletes-protected",
    "spot-share",
    "over-budget",
)
"""Names of the policy pack's rules. The pack is not imported here: a program does not need it."""

TagKey = Annotated[str, Field(pattern=r"^[\w .:/=+@-]{1,128}$")]


class PolicyConfig(Section):
    """Settings of the policy pack for this stack. Without the section every rule applies, with no
    budget and no minimum share of spot. The program itself does not use them.
    """

    exceptions: Mapping[str, str] = Field(
        default={}, alias="except", examples=[{"public-cluster-api": "no VPN until March"}]
    )
    """Rules that do not apply here, each with a reason: `RULE: reason`, or `RULE/RESOURCE: reason`
    for resources of that name in the program, where `*` matches any letters.
    """
    required_tags: tuple[TagKey, ...] = Field(default=(), examples=[["team", "cost-center"]])
    """Keys of tags that every taggable resource must have."""
    min_spot_share: float | None = Field(default=None, ge=0, le=1, examples=[0.5])
    """Smallest share of spot in the vCPUs that may run at most: 0.5 is half of them."""
    monthly_budget_usd: float | None = Field(default=None, gt=0, examples=[500])
    """Highest cost of a month, with every pool and group at its limit."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses unknown rules, exceptions without a reason, and tags that nobody can set."""
        for key, reason in self.exceptions.items():
            rule, slash, resource = key.partition("/")
            if rule not in RULES:
                yield Mistake(f"except.{key}", f"no rule is called {rule}: {_meant(rule)}")
            elif slash and not resource.strip():
                yield Mistake(f"except.{key}", "name the resource after the /, or drop the /")
            if not reason.strip():
                problem = "say why, for whoever looks at it in a year"
                yield Mistake(f"except.{key}", problem, reason)

        for index, key in enumerate(self.required_tags):
            if key.startswith("aws:"):
                problem = "keys that begin with aws: are AWS's own: choose another"
                yield Mistake(f"requiredTags[{index}]", problem, key)

    @property
    def inputs(self) -> dict[str, Any]:
        """The settings that the file gives, in its own spelling."""
        return self.model_dump(by_alias=True, mode="json", exclude_unset=True)


def _meant(rule: str) -> str:
    close = difflib.get_close_matches(rule, RULES, n=1)
    return f"did you mean {close[0]}?" if close else "docs/policy.md lists them"
