"""A preference for spot nodes, for the pods of any workload: they run on spot where there is room.

It is soft: without nodes with the label, or without room on them, the pods run elsewhere. The label
decides which nodes a pod prefers. The toleration only lets the pod use spot nodes like any others,
if these have a soft taint that keeps other pods away.

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
    """Label and taint of spot nodes; the defaults are those of the stack file `spot`."""

    label: str = "lifecycle"
    value: str = "Ec2Spot"
    taint: str = "spotInstance"
    """Key of a taint with the value `true` and the effect PreferNoSchedule."""


def spot_affinity(nodes: SpotNodes | None = None) -> dict[str, Any]:
    """A pod's `affinity` that prefers spot nodes; it never makes a pod wait for one."""
    return {"nodeAffinity": {_PREFERRED: [_term(nodes or SpotNodes())]}}


def spot_toleration(nodes: SpotNodes | None = None) -> dict[str, str]:
    """A pod's toleration of the spot nodes' taint."""
    return {
        "key": (nodes or SpotNodes()).taint,
        "operator": "Equal",
        # Text: the API takes no boolean.
        "value": "true",
        "effect": "PreferNoSchedule",
    }


def prefer_spot(pod: Mapping[str, Any], nodes: SpotNodes | None = None) -> dict[str, Any]:
    """The spec of a pod with affinity and toleration added; its own affinities and tolerations
    stay.

    `pod` is a plain mapping, as the Kubernetes API spells it (`spec` of a Pod, `spec.template.spec`
    of a Deployment), and is not changed. A spec that already has the preference is returned equal.
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


def _with(there: Any, item: dict[str, Any]) -> list[Any]:
    items = list(cast(Sequence[Any], there or ()))
    return items if item in items else [*items, item]
