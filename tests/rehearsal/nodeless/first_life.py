"""The first life of the nodeless stack, from nothing to nothing, as a record."""

import io
import json
from typing import Any, NamedTuple

import pytest

from frugal_eks import cli
from rehearsal import report
from rehearsal.account_things import Thing
from rehearsal.engine import Outcome
from rehearsal.interruptions.announcements import Kind
from rehearsal.interruptions.interruption import Interruption
from rehearsal.interruptions.interruption import Outcome as Interrupted
from rehearsal.nodes_now import COMPUTE, NODE_POOL, PROVISIONED, Node, nodes_now
from rehearsal.scenario import Scenario, Scene
from tests.rehearsal.nodeless.destroying import End, destroy
from tests.rehearsal.nodeless.load_balancing import (
    INGRESSES,
    Page,
    balanced,
    make_ingress,
    remove_ingress,
)
from tests.rehearsal.nodeless.stage import INFLATE, Config, Stage, pool, wait


class Mistaken(NamedTuple):
    """`up` with a stack file of three mistakes."""

    exit_code: int
    told: str
    left: list[Thing]


class Placed(NamedTuple):
    """Where a pod runs."""

    namespace: str
    name: str
    owner: str
    """The kind of what made it."""
    runs_on: str
    """fargate, karpenter, or nowhere."""
    size: str
    """What Fargate gives it."""


class Made(NamedTuple):
    """What an `up` brings, and what is planned before and after it."""

    first_preview: Outcome
    up: Outcome
    state_text: str
    resources: list[dict[str, Any]]
    outputs: dict[str, Any]
    second_preview: Outcome
    pools_ready: bool
    off_fargate: list[str]
    pods: list[Placed]
    roles: set[str]
    token: str


class Updates(NamedTuple):
    """Changes of the stack file: one that is made, two that are planned."""

    limit: Outcome
    limits_after: dict[str, str]
    preview_after: Outcome
    selector: Outcome
    endpoint: Outcome


class Load(NamedTuple):
    """What Karpenter did when pods came and went."""

    at_first: list[Node]
    scenes: list[Scene]
    interruption: Interrupted
    preview: Outcome


class First(NamedTuple):
    """The record of the first life."""

    mistaken: Mistaken
    made: Made
    page: Page
    updates: Updates
    load: Load
    end: End


def play(stage: Stage) -> First:
    """One part after the other; the stack file is as it was in the end."""
    mistaken, made = _mistaken(stage), _make(stage)
    alone = balanced(stage)
    host, with_ingress = make_ingress(stage), balanced(stage)
    remove_ingress(stage)
    updates = _update(stage)
    wait(lambda: not stage.cluster.items(INGRESSES))
    page = Page(alone, with_ingress, host, balanced(stage))
    # In the end pods are on spot nodes: the pools must be drained by a living controller.
    return First(mistaken, made, page, updates, _load(stage), destroy(stage))


def _mistaken(stage: Stage) -> Mistaken:
    bad = stage.file.with_name("Pulumi.mistaken.yaml")

    def spoil(config: Config) -> None:
        config["frugal-eks:cluster"]["version"] = "1.17"
        config["frugal-eks:network"]["nat"] = "single"
        pool(config)["nodeClass"] = "missing"

    stage.settings(spoil, file=bad)
    state = str(stage.rehearsal.state.path)
    arguments = ["up", "--state", state, "--stack", str(bad)]
    with pytest.MonkeyPatch.context() as patch:
        told = io.StringIO()
        patch.setattr("sys.stderr", told)
        patch.setattr("sys.stdout", told)
        code = cli.main(["rehearse", *arguments])
    return Mistaken(code, told.getvalue(), stage.left())


def _make(stage: Stage) -> Made:
    first_preview, up = stage.engine.preview(), stage.engine.up()
    engine = stage.engine
    state_text = json.dumps(engine.export())
    outputs, second_preview = engine.outputs(), engine.preview()
    stage.rehearsal.show(engine)
    return Made(
        first_preview=first_preview,
        up=up,
        state_text=state_text,
        resources=json.loads(state_text)["deployment"]["resources"],
        outputs=outputs,
        second_preview=second_preview,
        pools_ready=report.pools_table(stage.cluster)[1],
        off_fargate=report.system_pods_table(stage.cluster)[1],
        pods=_placed(stage),
        roles={role["RoleName"] for role in stage.aws("iam").list_roles()["Roles"]},
        token=stage.rehearsal.state.admin_token.read_text().strip(),
    )


def _placed(stage: Stage) -> list[Placed]:
    listed = stage.cluster.items("/api/v1/nodes")
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in listed}
    found: list[Placed] = []
    for pod in stage.cluster.items("/api/v1/pods"):
        metadata = pod["metadata"]
        node = labels.get(pod["spec"].get("nodeName", ""), {})
        owner = metadata["ownerReferences"][0]["kind"]
        place = node.get(COMPUTE) or ("karpenter" if NODE_POOL in node else "nowhere")
        size = metadata.get("annotations", {}).get(PROVISIONED, "")
        found.append(Placed(metadata["namespace"], metadata["name"], owner, place, size))
    return found


def _update(stage: Stage) -> Updates:
    stage.settings(lambda c: pool(c)["limits"].update(cpu=500))
    limit = stage.engine.up()
    after = stage.cluster.get("/apis/karpenter.sh/v1/nodepools/default")["spec"]["limits"]
    preview_after = stage.engine.preview()
    stage.settings()
    stage.engine.up()
    stage.settings(
        lambda c: c["frugal-eks:fargate"]["profiles"]["kube-system"].append({"namespace": "batch"})
    )
    selector = stage.engine.preview()
    office = {"publicCidrs": ["198.51.100.0/24"]}
    stage.settings(lambda c: c["frugal-eks:cluster"]["endpoint"].update(office))
    endpoint = stage.engine.preview()
    stage.settings()
    return Updates(limit, after, preview_after, selector, endpoint)


def _load(stage: Stage) -> Load:
    state = stage.rehearsal.state
    scenario = Scenario(stage.cluster, state.endpoints, stage.rehearsal.console)
    at_first = [one for one in nodes_now(stage.cluster, scenario.prices) if one.karpenter]
    scenes = scenario.scale(INFLATE, [10, 0, 3])
    interruption = Interruption(state, stage.cluster, stage.rehearsal.console)
    outcome = interruption.play(interruption.victim(None, Kind.SPOT))
    outcome.require_held()
    return Load(at_first, scenes, outcome, stage.engine.preview())
