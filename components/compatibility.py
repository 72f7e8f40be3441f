"""Which versions go together: what is not in these tables is refused before anything is made."""

from typing import Literal

from . import versions

KUBERNETES = tuple(versions.EKS_ADDONS)
"""The minors that EKS offers and for which every add-on is pinned."""

EXTENDED_SUPPORT_SINCE = {"1.33": "2026-07-29"}
"""Minors whose standard support has ended: EKS takes 0.60 USD an hour for them instead of 0.10
(EKS user guide, Kubernetes release calendar)."""

KARPENTER_KUBERNETES = {"1.14": ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36")}
"""By the minor of Karpenter, the Kubernetes minors it supports (Karpenter's compatibility page).
Charts, CRDs, rights and event rules are one set for each minor, and the set here is 1.14's."""

Headroom = Literal["pausePods", "capacityBuffer"]
"""What keeps room for the next pods."""

CAPACITY_BUFFERS = {"1.13": "alpha", "1.14": "alpha"}
"""By the minor of Karpenter, how far its CapacityBuffer is; absent: there is none. Alpha is off
unless it is asked for (Karpenter's feature gates page)."""


def headroom(karpenter: str | None) -> Headroom:
    """What keeps room where nothing is said: what this Karpenter offers for production."""
    stage = CAPACITY_BUFFERS.get(_minor(karpenter)) if karpenter else None
    return "capacityBuffer" if stage in {"beta", "stable"} else "pausePods"


def kubernetes_problem(version: str, support_type: str) -> str | None:
    """Why EKS would not run this minor with this support, and what to do; None where it would."""
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
    """Why this Karpenter is not to be had at all, and what to do; None where it is."""
    if _minor(version) in KARPENTER_KUBERNETES:
        return None
    return (
        f"its rights, CRDs and event rules are not part of this release, which has those of "
        f"{', '.join(KARPENTER_KUBERNETES)}: drop the key for {versions.KARPENTER}"
    )


def karpenter_problem(version: str, kubernetes: str, whose: str = "cluster.version") -> str | None:
    """Why this Karpenter does not run here, and what to do; None where it does.

    `whose` Kubernetes it is: the key in the stack file, or a cluster.
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
    """Why there is no Cluster Autoscaler for this minor, and what to do; None where there is."""
    if kubernetes in versions.CLUSTER_AUTOSCALER:
        return None
    first, *_, last = versions.CLUSTER_AUTOSCALER
    return (
        f"has no image for Kubernetes {kubernetes} of the cluster, only for {first} to {last}: "
        "update the cluster, or drop the section"
    )


def _minor(version: str) -> str:
    return version.rpartition(".")[0]
