"""What keeps a workload's pods where they are while nodes are drained: for programs of your own."""

from collections.abc import Mapping
from typing import Any

DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
"""Until Karpenter's beta API `karpenter.sh/do-not-evict`."""


def pod_disruption_budget(
    name: str, *, namespace: str, match_labels: Mapping[str, str], max_unavailable: int | str = 1
) -> dict[str, Any]:
    """The manifest of a PodDisruptionBudget: of the pods with these labels at most so many, a
    number or a share such as `25%`, are missing at once because of a drain.

    A drain waits for it and tries again. Of one single pod it would keep nothing, and with
    `max_unavailable=0` it stops every drain until the node pool's terminationGracePeriod is over.
    Raises ValueError for labels that select every pod of the namespace.
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

    `after_start` is how long, from the pod's start, as a Go duration such as `4h`; "" is for ever.
    Interruptions, expiry and terminationGracePeriod end the node all the same.
    """
    annotations = {**pod_metadata.get("annotations", {}), DO_NOT_DISRUPT: after_start or "true"}
    return {**pod_metadata, "annotations": annotations}
