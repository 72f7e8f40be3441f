"""Versions that work together; others are refused before anything is created."""

from typing import Literal

from . import versions

KUBERNETES = tuple(versions.EKS_ADDONS)
"""Kubernetes minors that EKS offers and for which every add-on is pinned."""

EXTENDED_SUPPORT_SINCE = {"1.33": "2026-07-29"}
"""Kubernetes minors whose standard support has ended, with the date: EKS charges 0.60 USD per hour
for them instead of 0.10 (EKS user guide, Kubernetes release calendar).
"""

KARPENTER_KUBERNETES = {"1.14": ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36")}
"""Kubernetes minors that a Karpenter minor supports (Karpenter's compatibility page). Charts, CRDs,
policies and event rules differ between minors; those here are 1.14's.
"""

Headroom = Literal["pausePods", "capacityBuffer"]
"""What keeps headroom for the next pods."""

CAPACITY_BUFFERS = {"1.13": "alpha", "1.14": "alpha"}
"""Stage of CapacityBuffers in each Karpenter minor; an absent minor lacks them. Alpha is off unless
asked for (Karpenter's feature gates page).
"""


def headroom(karpenter: str | None) -> Headroom:
    """What keeps headroom by default: what this version of Karpenter offers for production."""
    stage = CAPACITY_BUFFERS.get(_minor(karpenter)) if karpenter else None
    return "capacityBuffer" if stage in {"beta", "stable"} else "pausePods"


def kubernetes_problem(version: str, support_type: str) -> str | None:
    """Why EKS would not run this minor with this support, and what to do; None if it would."""
    if version not in KUBERNETES:
        return f"is not offered: choose one of {', '.join(KUBERNETES)}"
    since = EXTENDED_SUPPORT_SINCE.get(version)
    if since and support_type == "STANDARD":
        current = [v for v in KUBERNETES if v not in EXTENDED_SUPPORT_SINCE]
        return (
            f"is in extended support since {since}: choose one of {', '.join(current)}, "
            "or set supportType: EXTENDED for 0.60 USD an hour"
        )
    return None


def karpenter_release_problem(version: str) -> str | None:
    """Why this release of the program cannot install this Karpenter, and what to do; None if it
    can.
    """
    if _minor(version) in KARPENTER_KUBERNETES:
        return None
    return (
        f"its rights, CRDs and event rules are not part of this release, which has those of "
        f"{', '.join(KARPENTER_KUBERNETES)}: drop the key for {versions.KARPENTER}"
    )


def karpenter_problem(version: str, kubernetes: str, whose: str = "cluster.version") -> str | None:
    """Why this Karpenter does not run on this Kubernetes, and what to do; None if it does.

    `whose` names the Kubernetes: a key of the stack file, or a cluster.
    """
    supported = KARPENTER_KUBERNETES.get(_minor(version))
    if supported is None:
        return karpenter_release_problem(version)
    if kubernetes not in supported:
        return (
            f"does not support Kubernetes {kubernetes} of {whose}: "
            f"it supports {supported[0]} to {supported[-1]}"
        )
    return None


def cluster_autoscaler_problem(kubernetes: str) -> str | None:
    """Why there is no Cluster Autoscaler for this minor, and what to do; None if there is."""
    if kubernetes in versions.CLUSTER_AUTOSCALER:
        return None
    first, *_, last = versions.CLUSTER_AUTOSCALER
    return (
        f"has no image for Kubernetes {kubernetes} of the cluster, only for {first} to {last}: "
        "update the cluster, or drop the section"
    )


def _minor(version: str) -> str:
    return version.rpartition(".")[0]
