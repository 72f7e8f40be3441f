"""Protection of a workload's pods against node drains, for your own programs."""

from collections.abc import Mapping
from typing import Any

DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
"""Annotation that keeps a pod's node from being consolidated. Karpenter's beta API called it
`karpenter.sh/do-not-evict`.
"""


def pod_disruption_budget(
    name: str, *, namespace: str, match_labels: Mapping[str, str], max_unavailable: int | str = 1
) -> dict[str, Any]:
    """The manifest of a PodDisruptionBudget: a drain may remove at most `max_unavailable`, a number
    or a share such as `25%`, of the pods with these labels at once.

    A drain waits for the budget and tries again. For a single pod the budget has no effect, and
    with `max_unavailable=0` it stops every drain until the node pool's terminationGracePeriod is
    over. Raises ValueError if the labels select every pod of the namespace.
    """
    if not match_labels:
        raise ValueError(f"the budget {name} selects every pod of {namespace}: give match_labels")
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "maxUnavailable": max_unavailable,
            "selector": {"matchLabels": dict(match_labels)},
        },
    }


def do_not_disrupt(pod_metadata: Mapping[str, Any], *, after_start: str = "") -> dict[str, Any]:
    """A pod template's metadata with the annotation that keeps its node from being consolidated.

    `after_start` is how long the annotation holds from the pod's start, as a Go duration such as
    `4h`; "" means for ever. Interruptions, expiry and terminationGracePeriod end the node all the
    same.
    """
    annotations = {**pod_metadata.get("annotations", {}), DO_NOT_DISRUPT: after_start or "true"}
    return {**pod_metadata, "annotations": annotations}
