"""The stack file's settings of Fargate profiles and their selectors."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from ..section import Mistake, Section
from .cluster_config import RetentionDays

PROFILE_NAME_LIMIT = 100 - len("fargate-") - 8
"""Longest name of a profile in the stack file. EKS allows 100 characters, and Pulumi names the
profile `fargate-`, the key, a dash and seven digits, so that a profile that cannot be changed in
place is replaced by one beside it.
"""

ProfileName = Annotated[
    str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]*$", max_length=PROFILE_NAME_LIMIT)
]
NamespaceName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9*?]*[a-z0-9*?])?$", max_length=63)]


class SelectorConfig(Section):
    """Selects the pods of a namespace; with labels, only those that have all of them."""

    namespace: NamespaceName
    """Namespace of the pods; `*` matches any letters and `?` a single one."""
    labels: Mapping[str, str] = Field(default={}, max_length=5)
    """Labels that a pod must have, all of them."""

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """True if a pod of this namespace with these labels runs on Fargate.

        `*` and `?` are wildcards in a selector's namespace, keys and values (EKS user guide).
        """
        return fnmatchcase(namespace, self.namespace) and all(
            any(fnmatchcase(k, key) and fnmatchcase(v, value) for k, v in labels.items())
            for key, value in self.labels.items()
        )


class FargateLogsConfig(Section):
    """Sends the output of pods on Fargate to CloudWatch Logs."""

    retention_days: RetentionDays = 14
    """Days after which CloudWatch deletes the logs."""


class FargateConfig(Section):
    """Fargate, which runs pods without nodes: 0.25 vCPU with 0.5 GB cost about 10 USD per month."""

    profiles: Mapping[ProfileName, Annotated[tuple[SelectorConfig, ...], Field(max_length=5)]] = (
        Field(min_length=1)
    )
    """Fargate profiles by names of your choice; in EKS Pulumi adds a prefix and a suffix to them.
    EKS creates them one at a time, a minute or two each.
    """
    logs: FargateLogsConfig | None = None
    """Sends the output of pods on Fargate to CloudWatch Logs."""

    def mistakes(self) -> Iterator[Mistake]:
        """EKS must allow the names, and each profile must select something."""
        for name, selectors in self.profiles.items():
            if name.startswith("eks-"):
                yield Mistake(f"profiles.{name}", "EKS keeps names that begin with eks-: rename it")
            if not selectors:
                yield Mistake(f"profiles.{name}", "selects nothing: give one to five selectors")

    def profile_of(self, namespace: str, labels: Mapping[str, str]) -> str | None:
        """Name of the first profile that selects such a pod; None if it needs a node."""
        for name, selectors in self.profiles.items():
            if any(selector.matches(namespace, labels) for selector in selectors):
                return name
        return None
