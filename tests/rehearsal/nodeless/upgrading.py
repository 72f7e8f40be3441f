"""A newer Kubernetes, and what is mended by hand while Karpenter is away, as a record."""

import json
import subprocess
from typing import Any, NamedTuple

from rehearsal.engine import EngineError, Outcome
from rehearsal.nodes_now import COMPUTE, is_true
from tests.rehearsal.nodeless.stage import COREDNS, INFLATE, KARPENTER, Config, Stage, wait

SOMEBODYS: dict[str, Any] = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "somebodys"},
    "value": 5,
    "globalDefault": True,
}
FOR_NODES = {"eks.amazonaws.com/compute-type": "ec2"}


class Defaults(NamedTuple):
    """Two priority classes that both want to be the default."""

    told_by_up: str
    """Where somebody's was there before."""
    default: dict[str, Any]
    """The stack's, as it is in the cluster."""
    told_by_api: str
    """Where the stack's was there before."""


class Upgraded(NamedTuple):
    """Another minor version of Kubernetes."""

    preview: Outcome
    up: Outcome
    served: str
    """The version that EKS tells after."""
    old: dict[str, str]
    """The images of the claims before, by the claims' names."""
    new: dict[str, str]
    names: dict[str, str]
    """Names of the node class's images after, by id."""
    said: set[str]
    """By Karpenter of its nodes."""
    hosts: set[str]
    """Of inflate's pods, after."""
    nodes: set[str]


class Stuck(NamedTuple):
    """CoreDNS as it is made for EC2 nodes, where none takes it."""

    hosts: list[str | None]
    """The node of each pod."""
    told: str
    """By the commands of the documentation."""
    places: list[str]
    """The kind of node of each pod, after."""


def collide(stage: Stage) -> str:
    """Ask for a default priority class in a cluster that has one; returns what is told."""
    stage.kubectl("apply", "-f", "-", given=[SOMEBODYS])
    stage.settings(with_default)
    try:
        stage.engine.up()
    except EngineError as error:
        return str(error)
    else:
        return ""
    finally:
        stage.settings()
        stage.kubectl("delete", "-f", "-", given=[SOMEBODYS])


def collide_again(stage: Stage) -> str:
    """The other way round."""
    try:
        stage.kubectl("apply", "-f", "-", given=[SOMEBODYS])
    except subprocess.CalledProcessError as error:
        return error.stderr
    return ""


def with_default(config: Config) -> None:
    """Ask for a default priority class."""
    config["frugal-eks:overprovisioning"]["defaultPriorityClass"] = True


def upgrade(stage: Stage) -> tuple[Upgraded, Stuck]:
    """One minor further; the nodes follow once Karpenter knows of it."""
    old = _images(stage)
    stage.keep(lambda c: c["frugal-eks:cluster"].update(version="1.36"))
    preview, up = stage.engine.preview(), stage.engine.up()
    # It asks for the version every five minutes, and when it starts.
    stage.scale(KARPENTER, 0)
    wait(lambda: not stage.pods(KARPENTER))
    stuck = _stick(stage)
    stage.scale(KARPENTER, 2)
    wait(lambda: not set(stage.claims()) & set(old) and stage.is_settled(), 150)
    node_class = stage.cluster.get("/apis/karpenter.k8s.aws/v1/ec2nodeclasses/default")
    described = stage.aws("eks").describe_cluster(name="nodeless")["cluster"]
    upgraded = Upgraded(
        preview=preview,
        up=up,
        served=described["version"],
        old=old,
        new=_images(stage),
        names={one["id"]: one["name"] for one in node_class["status"]["amis"]},
        said={
            event["message"]
            for event in stage.cluster.items("/api/v1/events")
            if event["reason"] == "DisruptionTerminating"
        },
        hosts={pod["spec"]["nodeName"] for pod in stage.pods(INFLATE)},
        nodes=set(stage.nodes()),
    )
    return upgraded, stuck


def _images(stage: Stage) -> dict[str, str]:
    return {name: one["status"]["imageID"] for name, one in stage.claims().items()}


def _stick(stage: Stage) -> Stuck:
    nodes = list(stage.nodes())
    stage.kubectl("cordon", *nodes)
    stage.scale(COREDNS, 0)
    template = {"metadata": {"annotations": FOR_NODES}}
    patch = json.dumps({"spec": {"template": template}})
    stage.kubectl("patch", "deployment", "coredns", "--namespace", "kube-system", "-p", patch)
    stage.scale(COREDNS, 2)

    def unschedulable() -> list[dict[str, Any]]:
        pods = stage.pods(COREDNS)
        given_up = [
            any(condition.get("reason") == "Unschedulable" for condition in conditions)
            for conditions in (pod["status"].get("conditions", []) for pod in pods)
        ]
        return pods if given_up == [True, True] else []

    hosts = [pod["spec"].get("nodeName") for pod in wait(unschedulable)]
    told = stage.documented("coredns")
    wait(lambda: [is_true(pod, "Ready") for pod in stage.pods(COREDNS)] == [True, True])
    labels = {
        node["metadata"]["name"]: node["metadata"]["labels"]
        for node in stage.cluster.items("/api/v1/nodes")
    }
    places = [labels[pod["spec"]["nodeName"]].get(COMPUTE, "") for pod in stage.pods(COREDNS)]
    stage.kubectl("uncordon", *nodes)
    return Stuck(hosts, told, places)
