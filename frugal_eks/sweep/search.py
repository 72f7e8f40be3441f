"""Searches the account for things that name the cluster, one kind after the other."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from frugal_eks.sweep.account import AWS_ERRORS, Account
from frugal_eks.sweep.ownership import claim
from frugal_eks.sweep.things import Fate, Finding, Kind, Thing


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search for one cluster in one account."""

    account: Account
    cluster: str
    data_too: bool = False
    """True if kinds that keep data are removed too."""
    known: frozenset[str] = frozenset()
    """Ids in the stack's state, which `pulumi destroy` removes."""

    def of(self, kind: Kind) -> list[Finding]:
        """Things of a kind that name the cluster. Raises one of AWS_ERRORS."""
        judged = (self._judged(kind, thing) for thing in kind.look(self.account, self.cluster))
        return [finding for finding in judged if finding]

    def _judged(self, kind: Kind, thing: Thing) -> Finding | None:
        claimed = claim(thing.tags, self.cluster, thing.by)
        if claimed is None:
            return None
        fate, why_not = Fate.REMOVE, ""
        if thing.owner not in {"", self.account.id}:
            fate, why_not = Fate.NOT_OURS, f"belongs to the account {thing.owner}"
        elif claimed.shared:
            fate, why_not = Fate.NOT_OURS, f"shared: {claimed.shared}"
        elif thing.id in self.known:
            fate, why_not = Fate.NOT_OURS, "the stack's state has it: `pulumi destroy` removes it"
        elif kind.keeps_data and not self.data_too:
            fate, why_not = Fate.KEEP, "holds data: --volumes removes it"
        return Finding(kind=kind, thing=thing, by=claimed.by, fate=fate, why_not=why_not)


@dataclass(frozen=True)
class Survey:
    """Things that exist at one moment."""

    findings: list[Finding] = field(default_factory=list[Finding])
    problems: list[str] = field(default_factory=list[str])
    """One sentence for each kind that could not be listed."""

    @property
    def left(self) -> list[Finding]:
        """Findings that belong to the cluster, whether or not they are to be removed."""
        return [finding for finding in self.findings if finding.fate is not Fate.NOT_OURS]


def survey(search: Search, kinds: Iterable[Kind]) -> Survey:
    """Searches all kinds; a kind that AWS does not list becomes a problem."""
    seen = Survey()
    for kind in kinds:
        try:
            seen.findings.extend(search.of(kind))
        except AWS_ERRORS as error:
            seen.problems.append(not_listed(kind, error))
    return seen


def not_listed(kind: Kind, error: Exception) -> str:
    """A sentence with AWS's error, which names the operation and the denied caller."""
    return f"{kind.name}s could not be listed: {error}"
