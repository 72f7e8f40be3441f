"""A destroy that a disruption budget holds up, as a record."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from rehearsal.account_things import Thing
from rehearsal.engine import Outcome
from rehearsal.nodes_now import is_true
from rehearsal.scenario import Workload
from tests.rehearsal.nodeless.stage import Stage, wait

GUARDED = Workload("default", "guarded")
BUDGETED: list[dict[str, Any]] = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": GUARDED.name, "namespace": GUARDED.namespace},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "guarded"}},
            "template": {
                "metadata": {"labels": {"app": "guarded"}},
                "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "containers": [
                        {
                            "name": "one",
                            "image": "registry.k8s.io/pause",
                            "resources": {"requests": {"cpu": "100m"}},
                        }
                    ],
                },
            },
        },
    },
    {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "nobody-goes", "namespace": GUARDED.namespace},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "guarded"}}},
    },
]


class Held(NamedTuple):
    """What held the destroy, and what ended that."""

    pods: set[str]
    """Those that the budget guards."""
    told: str
    """By the commands of the documentation, while it waited."""
    bypassed: dict[str, str]
    """What Karpenter says of the pods that it has deleted in spite of their budget."""
    destroy: Outcome
    left: list[Thing]


def hold(stage: Stage) -> Held:
    """Destroy with pods of somebody else's on a node, which may not be evicted."""
    stage.kubectl("apply", "-f", "-", given=BUDGETED)
    wait(lambda: [is_true(pod, "Ready") for pod in stage.pods(GUARDED)] == [True, True])
    pods = {pod["metadata"]["name"] for pod in stage.pods(GUARDED)}

    def ask() -> str:
        wait(lambda: any("deletionTimestamp" in one["metadata"] for one in stage.nodes().values()))
        return stage.documented("drain")

    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(ask)
        destroy = stage.engine.destroy()
    bypassed = {
        event["involvedObject"]["name"]: event["message"]
        for event in stage.cluster.items("/api/v1/namespaces/default/events")
        if event["reason"] == "Disrupted"
    }
    # They are somebody else's: on AWS they end with the control plane.
    stage.kubectl("delete", "-f", "-", given=BUDGETED)
    return Held(pods, asked.result(), bypassed, destroy, stage.left())
