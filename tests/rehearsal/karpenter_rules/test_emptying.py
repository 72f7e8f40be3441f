"""A node without pods goes, after the time that its pool says and not before."""

from datetime import timedelta

import pytest

from tests.rehearsal.karpenter_rules import film
from tests.rehearsal.karpenter_rules.scenes import LATER, SOON

pytestmark = pytest.mark.engine

VALIDATION = timedelta(seconds=15)
"""That Karpenter waits between a decision and the deed, to look once more."""
SECOND = timedelta(seconds=1)
"""The API server's times are whole ones."""


def claim(rules, rule: str):
    """The rule's only claim, as it was when its node was decided upon."""
    (decision,) = rules.of(rule)
    assert (decision.kind, decision.reason) == ("delete", "Empty")
    before = [frame for frame in rules.frames if frame.at < decision.at]
    (found,) = [one for one in before[-1].claims.values() if one.rule == rule]
    return found, decision.at


@pytest.mark.feature("A1-01")
@pytest.mark.parametrize(("rule", "seconds"), [("soon", SOON), ("later", LATER)])
def test_an_empty_node_goes_after_so_many_seconds_and_not_before(rules, rule, seconds):
    """Counted from the last change of its pods that Karpenter has noted."""
    found, decided = claim(rules, rule)
    wait = found.consolidatable - found.pods_changed

    # A busy machine notes it later, never sooner.
    assert -SECOND <= wait - timedelta(seconds=seconds) <= 10 * SECOND
    assert decided >= found.consolidatable + VALIDATION - SECOND


@pytest.mark.feature("A1-02")
def test_without_any_removal_an_empty_node_stays(rules):
    kept = rules.frames[-1].of("kept")

    assert list(kept) == rules.on_nodes["kept"]
    assert rules.of("kept") == []
    told = film.said(rules.events, "Unconsolidatable")
    assert told[rules.on_nodes["kept"][0]] == ['NodePool "kept" has consolidation disabled']


@pytest.mark.feature("A1-32")
def test_no_node_goes_in_a_window_that_allows_none(rules):
    assert rules.of("shut") == []
    assert list(rules.frames[-1].of("shut")) == rules.on_nodes["shut"]
    told = film.said(rules.events, "DisruptionBlocked")["shut"]
    why = "No allowed disruptions for disruption reason Empty due to blocking budget"
    assert why in told
