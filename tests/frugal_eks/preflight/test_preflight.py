"""A clean account is green, and each fault is told by its own line and no other."""

import pytest

from tests.frugal_eks.preflight.conftest import Played
from tests.frugal_eks.preflight.faults import FAULTS, Fault


@pytest.mark.parametrize("stack", ["nodeless", "spot", "consolidation"])
def test_a_clean_account_stops_nothing(account: Played, preflight, stack):
    told = preflight(account.stack(stack))

    assert told.failing == []
    assert told.unclear == ["session"]
    assert told.code == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_by_its_line_with_its_remedy(account: Played, preflight, fault: Fault):
    fault.prepare(account)

    told = preflight(
        account.stack(fault.stack, *fault.changes), *fault.arguments, machine=fault.machine
    )

    assert len(told.failing) == len(fault.lines), told.failing
    assert all(map(str.startswith, told.failing, fault.lines)), told.failing
    (first, *_) = [each for each in told.checks if each["result"] == "will fail"]
    assert fault.remedy in first["remedy"]
    assert told.code == 1
