"""Removes findings, kind after kind, and waits until each is gone."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)

from frugal_eks.sweep.account import AWS_ERRORS
from frugal_eks.sweep.search import Search, not_listed
from frugal_eks.sweep.things import Fate, Finding, Kind

BUSY_CODES = frozenset(
    {
        "AuthFailure",  # an address whose NAT gateway has just gone
        "DeleteConflict",
        "DependencyViolation",
        "IncorrectState",
        "InvalidIPAddress.InUse",
        "InvalidNetworkInterface.InUse",
        "InvalidParameterValue",  # an interface that is being detached
        "OperationAborted",
        "ResourceInUse",
        "ScalingActivityInProgress",
        "VolumeInUse",
    }
)
"""Error codes for things in use, perhaps not for long."""
PAUSE = 3.0
"""Seconds between two looks at what is awaited."""


@dataclass(frozen=True, kw_only=True)
class Removal:
    """Removes findings and reports progress."""

    search: Search
    patience: float
    """Seconds of waiting for each kind, until what is left is given up."""
    removed: Callable[[Finding], None]
    """Called with each finding that is gone."""
    waiting: Callable[[Kind, dict[str, str]], None]
    """Called about every PAUSE seconds with a kind and the reasons for waiting."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def run(self, kinds: Iterable[Kind]) -> "Removed":
        """Removes what belongs to the cluster alone; a failure does not hinder the others."""
        result = Removed()
        for kind in kinds:
            round_ = _Kind(self, kind)
            try:
                round_.clear()
            except AWS_ERRORS as error:
                result.problems.append(not_listed(kind, error))
            result.reasons.update({(kind.name, id): why for id, why in round_.reasons().items()})
        return result


@dataclass(frozen=True)
class Removed:
    """Result of a removal."""

    reasons: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Reasons why a finding is left, by its key."""
    problems: list[str] = field(default_factory=list[str])
    """One sentence for each kind that could not be listed."""


@dataclass
class _Kind:
    """Removal of one kind's things."""

    removal: Removal
    kind: Kind
    promised: dict[str, Finding] = field(default_factory=dict[str, Finding])
    """Findings whose removal AWS has accepted, by id."""
    busy: dict[str, str] = field(default_factory=dict[str, str])
    failed: dict[str, str] = field(default_factory=dict[str, str])

    def clear(self) -> None:
        """Removes until all are gone, have failed, or the patience has ended. Raises one of
        AWS_ERRORS.
        """
        end = self.removal.clock() + self.removal.patience
        while there := self._still_there():
            if self._ask(there):
                continue  # some are gone at once, and others then no longer in use
            if self.removal.clock() >= end:
                return
            self.removal.waiting(self.kind, self.reasons())
            self.removal.sleep(PAUSE)

    def reasons(self) -> dict[str, str]:
        """Reasons why things are not gone yet, by id."""
        waited = dict.fromkeys(self.promised, "AWS has not finished its removal")
        return waited | self.busy | self.failed

    def _still_there(self) -> list[Finding]:
        now = {
            finding.thing.id: finding
            for finding in self.removal.search.of(self.kind)
            if finding.fate is Fate.REMOVE
        }
        for id in [id for id in self.promised if id not in now]:
            self.removal.removed(self.promised.pop(id))
        self.busy = {id: why for id, why in self.busy.items() if id in now}
        return [finding for id, finding in now.items() if id not in self.failed]

    def _ask(self, there: list[Finding]) -> bool:
        """Requests removals; True if AWS accepted at least one."""
        before = len(self.promised)
        for finding in there:
            id = finding.thing.id
            if id in self.promised:
                continue
            if finding.thing.busy:
                self.busy[id] = finding.thing.busy
                continue
            try:
                self.kind.remove(self.removal.search.account, finding.thing)
            except ClientError as error:
                self._refused(finding, error)
            except BotoCoreError as error:
                self.failed[id] = str(error)
            else:
                self.busy.pop(id, None)
                self.promised[id] = finding
        return len(self.promised) > before

    def _refused(self, finding: Finding, error: ClientError) -> None:
        code = error.response["Error"]["Code"]  # pyright: ignore
        # What is not found went by itself, or it is about a part of it: the next look shows.
        if code in BUSY_CODES or "NotFound" in code or code == "NoSuchEntity":
            self.busy[finding.thing.id] = str(error)
        else:
            self.failed[finding.thing.id] = str(error)
