"""Finds risks, with one module per concern."""

from collections.abc import Sequence

from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review.risk import Concern, Finder, Risk
from frugal_eks.plans.review.risks import (
    holding,
    kubernetes_rights,
    network,
    nodes,
    policies,
    protection,
    rights,
    versions,
)

FINDERS: Sequence[Finder] = (
    holding.find,
    nodes.find,
    policies.find,
    rights.find,
    kubernetes_rights.find,
    network.find,
    protection.find,
    versions.find,
)


def risks(preview: Preview) -> list[Risk]:
    """Risks by concern, then by type and name: the engine's own order differs from run to run."""
    order = {concern: place for place, concern in enumerate(Concern)}
    unordered = [risk for find in FINDERS for risk in find(preview)]
    return sorted(
        unordered, key=lambda risk: (order[risk.concern], risk.change.type, risk.change.name)
    )
