"""The preference for spot nodes, for the pods of any workload: theirs where there is room.

Soft on both sides: nodes without the label, or none of them with room, and the pods run elsewhere.
The label decides where a pod would rather be; the toleration only lets it be there as gladly as
anywhere, where spot nodes carry a soft taint that keeps other pods away.

For a program of your own:

    pod = prefer_spot({"containers": [...]})
    k8s.apps.v1.Deployment("web", spec={..., "template": {"metadata": ..., "spec": pod}})
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, kw_only=True)
class SpotNodes:
    """How a cluster's spot nodes can be told: as the stack file `spot` has them, if not said."""

    label: str = "lifecycle"
    value: str = "Ec2Spot"
    taint: str = "spotInstance"
    """The key of a taint with the value `true` and the effect PreferNoSchedule."""


def spot_affinity(nodes: SpotNodes | None = None) -> dict[str, Any]:
    """A pod's `affinity`: spot nodes first. By itself no reason to wait for one."""
    return {"nodeAffinity": {_PREFERRED: [_term(nodes or SpotNodes())]}}


def spot_toleration(nodes: SpotNodes | None = None) -> dict[str, str]:
    """One of a pod's `tolerations`: the spot nodes' taint is no reason to go elsewhere."""
    return {
        "key": (nodes or SpotNodes()).taint,
        "operator": "Equal",
        # Text: the API takes no boolean.
        "value": "true",
        "effect": "PreferNoSchedule",
    }


def prefer_spot(pod: Mapping[str, Any], nodes: SpotNodes | None = None) -> dict[str, Any]:
    """The spec of a pod with both added; what it says itself about affinity and taints stays.

    `pod` is plain, as the Kubernetes API spells it (`spec` of a Pod, `spec.template.spec` of a
    Deployment), and is not changed. What already has the preference comes back equal.
    """
    affinity: Mapping[str, Any] = pod.get("affinity") or {}
    of_nodes: Mapping[str, Any] = affinity.get("nodeAffinity") or {}
    preferred = _with(of_nodes.get(_PREFERRED), _term(nodes or SpotNodes()))
    return {
        **pod,
        "affinity": {**affinity, "nodeAffinity": {**of_nodes, _PREFERRED: preferred}},
        "tolerations": _with(pod.get("tolerations"), spot_toleration(nodes)),
    }


def _term(nodes: SpotNodes) -> dict[str, Any]:
    matches = [{"key": nodes.label, "operator": "In", "values": [nodes.value]}]
    # The scheduler compares nodes by the sum of the weights, so that alone 1 does as well as 100;
    # beside a workload's own terms it is the weakest.
    return {"weight": 1, "preference": {"matchExpressions": matches}}


def _with(there: Any, one: dict[str, Any]) -> list[Any]:
    items = list(cast(Sequence[Any], there or ()))
    return items if one in items else [*items, one]
