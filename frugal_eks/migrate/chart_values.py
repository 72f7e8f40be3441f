"""Converts values of the Node Termination Handler's chart to its add-on section."""

from collections.abc import Mapping
from typing import Any

from frugal_eks.migrate.notes import Context, Converted, Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_PLACE: Place = ("addons", "nodeTerminationHandler")
_BOTH = {
    "enableSpotInterruptionDraining": "spotInterruptionDraining",
    "enableScheduledEventDraining": "scheduledEventDraining",
    "enableRebalanceDraining": "rebalanceDraining",
    "taintNode": "taintNode",
    "nodeTerminationGracePeriod": "nodeTerminationGracePeriod",
    "podTerminationGracePeriod": "podTerminationGracePeriod",
    "emitKubernetesEvents": "emitKubernetesEvents",
}
_IMDS = {"enableRebalanceMonitoring": "rebalanceMonitoring"}
_QUEUE = {
    "deleteSqsMsgIfNodeNotFound": "deleteSqsMsgIfNodeNotFound",
    "replicas": "replicas",
    "workers": "workers",
    "useProviderId": "useProviderId",
    "heartbeatInterval": "heartbeatIntervalSeconds",
    "heartbeatUntil": "heartbeatUntilSeconds",
    "completeLifecycleActionDelaySeconds": "completeLifecycleActionDelaySeconds",
}
"""Values of the chart that have a key of their own in the stack file, in mode queue."""
_UPDATE = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
_FARGATE = {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate"]}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_TWICE = "Karpenter's own queue drains for the same event; absent means false here"
_FILE = (
    "has no key of its own: put it into a values file and name that in "
    "addons.nodeTerminationHandler.valuesFile"
)


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document holds values of that chart, by two keys that no other chart has."""
    return "kind" not in document and any(
        key in document
        for key in ("enableSpotInterruptionDraining", "enableSqsTerminationDraining")
    )


def convert_termination_handler(source: Reader, context: Context) -> Converted:
    """Converts to mode queue or imds, whichever the values choose."""
    del context  # other documents say nothing of it
    out = Sections()
    queue = source.flag("enableSqsTerminationDraining", default=False)
    out.put((*_PLACE, "mode"), "queue" if queue else "imds")
    labels = source.labels("nodeSelector")
    karpenter = any(key.startswith("karpenter.sh/") for key in labels)
    if karpenter:
        why = "by the node selector; Karpenter advises against a handler beside its own"
        out.put((*_PLACE, "nodes"), "karpenter", why)
    for key, ours in (_BOTH | (_QUEUE if queue else _IMDS)).items():
        if key in source:
            out.put((*_PLACE, ours), source.take(key))
    if karpenter:
        for ours in ("spotInterruptionDraining", "scheduledEventDraining"):
            if out.get((*_PLACE, ours)):
                out.say((*_PLACE, ours), _TWICE)
    if labels:
        out.put((*_PLACE, "nodeSelector"), labels)
    if not queue:
        _imds(source, out)
    source.expect("targetNodeOs", "linux")
    source.expect("updateStrategy", _UPDATE)
    out.leave(source.rest(_FILE))
    return out.converted()


def _imds(source: Reader, out: Sections) -> None:
    out.leave(source.fixed("deleteSqsMsgIfNodeNotFound", "is read in mode queue only", False))
    required = source.part("daemonsetAffinity").part("nodeAffinity").part(_REQUIRED)
    for term in required.parts("nodeSelectorTerms"):
        expressions: list[dict[str, Any]] = []
        for expression in term.parts("matchExpressions"):
            if expression.value == _FARGATE:
                # The program always says it.
                for key in _FARGATE:
                    expression.take(key)
                continue
            keys = [key for key in ("key", "operator", "values") if key in expression]
            expressions.append({key: expression.take(key) for key in keys})
        if expressions:
            out.append((*_PLACE, "affinity"), {"matchExpressions": expressions})
