"""Finds what a human has to look at, one file a concern."""

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
    """By concern, then by type and name: the engine's own order is another one in each run."""
    order = {concern: place for place, concern in enumerate(Concern)}
    found = [risk for find in FINDERS for risk in find(preview)]
    return sorted(found, key=lambda one: (order[one.concern], one.change.type, one.change.name))
