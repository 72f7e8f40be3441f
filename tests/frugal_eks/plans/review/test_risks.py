"""Each change that a human has to look at is told; one like it that is harmless is not."""

import pytest

from tests.frugal_eks.plans.review.made import told
from tests.frugal_eks.plans.review.table import (
    given_rights,
    holders,
    holding,
    kubernetes_protection,
    kubernetes_rights,
    network,
    nodes,
    protection,
    rights,
    versions,
)

TABLES = [
    holding,
    nodes,
    rights,
    given_rights,
    holders,
    kubernetes_rights,
    network,
    protection,
    kubernetes_protection,
    versions,
]
ROWS = [
    pytest.param(case, id=f"{table.__name__.rpartition('.')[2]}: {case.rule}")
    for table in TABLES
    for case in table.CASES
]


@pytest.mark.feature("C-16")
@pytest.mark.parametrize("case", ROWS)
def test_it_is_told(case):
    assert told(*case.risky) == case.told


@pytest.mark.parametrize("case", ROWS)
def test_one_like_it_needs_no_look(case):
    assert told(*case.harmless) == []
