"""What a stack file may say of Fargate profiles, and which pods they take."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from ..section import Mistake, Section
from .cluster_config import RetentionDays

PROFILE_NAME_LIMIT = 100 - len("fargate-") - 8
"""EKS allows 100 characters. Pulumi adds a dash and seven digits to `fargate-` and the key, so that
a profile that cannot be changed in place is replaced by one beside it."""

ProfileName = Annotated[
    str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]*$", max_length=PROFILE_NAME_LIMIT)
]
NamespaceName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9*?]*[a-z0-9*?])?$", max_length=63)]


class SelectorConfig(Section):
    """Pods of one namespace; with labels, those that carry all of them."""

    namespace: NamespaceName
    """The pods' namespace; `*` and `?` stand for any letters and for one."""
    labels: Mapping[str, str] = Field(default={}, max_length=5)
    """Labels that a pod must have, all of them."""

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether a pod of this namespace with these labels runs on Fargate.

        `*` and `?` are wildcards in a selector's namespace, keys and values (EKS user guide).
        """
        return fnmatchcase(namespace, self.namespace) and all(
            any(fnmatchcase(k, key) and fnmatchcase(v, value) for k, v in labels.items())
            for key, value in self.labels.items()
        )


class FargateLogsConfig(Section):
    """Ships what pods on Fargate print to CloudWatch Logs."""

    retention_days: RetentionDays = 14
    """After so many days CloudWatch deletes them."""


class FargateConfig(Section):
    """Pods without nodes: 0.25 vCPU with 0.5 GB cost about 10 USD a month."""

    profiles: Mapping[ProfileName, Annotated[tuple[SelectorConfig, ...], Field(max_length=5)]] = (
        Field(min_length=1)
    )
    """By names of your choice, which EKS shows with a beginning and an end of Pulumi's. EKS makes
    them one at a time, a minute or two each."""
    logs: FargateLogsConfig | None = None
    """What pods on Fargate write goes to CloudWatch."""

    def mistakes(self) -> Iterator[Mistake]:
        """Names that EKS allows, and something to select."""
        for name, selectors in self.profiles.items():
            if name.startswith("eks-"):
                yield Mistake(f"profiles.{name}", "EKS keeps names that begin with eks-: rename it")
            if not selectors:
                yield Mistake(f"profiles.{name}", "selects nothing: give one to five selectors")

    def profile_of(self, namespace: str, labels: Mapping[str, str]) -> str | None:
        """The first profile that takes such a pod, None where it needs a node."""
        for name, selectors in self.profiles.items():
            if any(selector.matches(namespace, labels) for selector in selectors):
                return name
        return None
