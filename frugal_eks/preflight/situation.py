"""Types of checks and of the situation that they look at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from components.cluster.cluster_config import ClusterConfig
from frugal_eks.plans.cost.program import Program
from frugal_eks.preflight.account import Account
from frugal_eks.preflight.findings import Finding
from frugal_eks.preflight.machine import Machine
from frugal_eks.preflight.stack import Stack


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A stack file, the account it is meant for, and this machine."""

    stack: Stack
    account: Account
    machine: Machine
    update: bool = False
    """True if the stack is up already, so that it owns what it has."""

    @property
    def program(self) -> Program:
        """Resources that the stack file declares."""
        return self.stack.program

    @property
    def new_cluster(self) -> ClusterConfig | None:
        """Cluster that the stack creates; None if it uses an existing one."""
        cluster = self.stack.config.cluster
        return cluster if isinstance(cluster, ClusterConfig) else None

    @cached_property
    def cluster_name(self) -> str:
        """Name of the cluster in EKS."""
        return self.stack.config.cluster_name

    def count(self, *types: str) -> int:
        """Number of declared resources of these types."""
        return sum(1 for _ in self.program.of_type(*types))


class Check(NamedTuple):
    """A named check of the situation."""

    name: str
    """Name shown while the check runs, and if it could not be read."""
    look: Callable[[Situation], Iterator[Finding]]
    """Yields findings. May raise NotReadError or ClientError at any point; earlier findings
    count.
    """
    first_up: bool = False
    """True if only a first `up` can meet the problem: quotas of what it creates, names,
    leftovers.
    """
