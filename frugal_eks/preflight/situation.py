"""What every check looks at, and what a check is."""

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
    """A stack file on one account, looked at from one machine."""

    stack: Stack
    account: Account
    machine: Machine
    update: bool = False
    """Whether the stack is up already: what it has is its own then."""

    @property
    def program(self) -> Program:
        """What the stack file declares."""
        return self.stack.program

    @property
    def new_cluster(self) -> ClusterConfig | None:
        """The cluster that the stack makes; None where it names one that exists."""
        cluster = self.stack.config.cluster
        return cluster if isinstance(cluster, ClusterConfig) else None

    @cached_property
    def cluster_name(self) -> str:
        """As EKS calls it."""
        return self.stack.config.cluster_name

    def count(self, *types: str) -> int:
        """How many resources of these types the stack declares."""
        return sum(1 for _ in self.program.of_type(*types))


class Check(NamedTuple):
    """A question, and who answers it."""

    name: str
    """Said while it is looked at, and where it could not be read."""
    look: Callable[[Situation], Iterator[Finding]]
    """May raise NotReadError or a ClientError at any point: what it found until then counts."""
    first_up: bool = False
    """True for what only a first `up` can meet: quotas of what it makes, names, leftovers."""
