"""Looks through the account for what names the cluster, one kind after the other."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from frugal_eks.sweep.account import AWS_ERRORS, Account
from frugal_eks.sweep.ownership import claim
from frugal_eks.sweep.things import Fate, Finding, Kind, Thing


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is looked for, and where."""

    account: Account
    cluster: str
    data_too: bool = False
    """Whether kinds that keep data are removed."""
    known: frozenset[str] = frozenset()
    """Ids in the stack's state: `pulumi destroy` removes those."""

    def of(self, kind: Kind) -> list[Finding]:
        """Every thing of a kind that names the cluster. Raises one of AWS_ERRORS."""
        found = (self._judged(kind, thing) for thing in kind.look(self.account, self.cluster))
        return [finding for finding in found if finding]

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
    """What there is at one moment."""

    findings: list[Finding] = field(default_factory=list[Finding])
    problems: list[str] = field(default_factory=list[str])
    """One sentence for each kind that could not be looked at."""

    @property
    def left(self) -> list[Finding]:
        """What is the cluster's, whether or not it is to be removed."""
        return [finding for finding in self.findings if finding.fate is not Fate.NOT_OURS]


def survey(search: Search, kinds: Iterable[Kind]) -> Survey:
    """All kinds; one that AWS does not show is a problem, and the others are looked at."""
    seen = Survey()
    for kind in kinds:
        try:
            seen.findings.extend(search.of(kind))
        except AWS_ERRORS as error:
            seen.problems.append(not_listed(kind, error))
    return seen


def not_listed(kind: Kind, error: Exception) -> str:
    """A sentence; AWS's own names the operation, and whom it does not allow."""
    return f"{kind.name}s could not be listed: {error}"
