"""The nodeless stack from nothing to nothing: one rehearsal, of which each test looks at a part."""

import copy
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from rich.console import Console

from rehearsal import __main__ as command_line
from rehearsal import account, leftovers, report
from rehearsal.account_things import Thing
from rehearsal.clients import Cluster, aws_client
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import Outcome
from rehearsal.nodes_now import Node
from rehearsal.scenario import CLAIMS, Scenario, Scene, Workload
from rehearsal.state import ROOT

pytestmark = pytest.mark.engine

STACK_FILE = ROOT / "stacks" / "Pulumi.nodeless.yaml"
INFLATE = Workload("default", "inflate")
CONTROLLER = "/apis/apps/v1/namespaces/karpenter/deployments/karpenter"
SPOT = "spot"


class Glimpse(NamedTuple):
    """What a watcher saw at one moment of the destroy."""

    claims: int
    controller: bool


class Rehearsed(NamedTuple):
    """The record of the rehearsal."""

    mistaken_exit: int
    mistaken_told: str
    left_by_mistaken: list[Thing]
    first_preview: Outcome
    up: Outcome
    state_text: str
    resources: list[dict[str, Any]]
    second_preview: Outcome
    pools_ready: bool
    off_fargate: list[str]
    roles: set[str]
    update: Outcome
    preview_after_update: Outcome
    limits_after_update: dict[str, str]
    replacement: Outcome
    cluster_change: Outcome
    scenes: list[Scene]
    victim: Node
    after_interruption: Scene
    last_preview: Outcome
    destroy: Outcome
    glimpses: list[Glimpse]
    left: list[Thing]
    token: str
    folder: Path


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsed]:
    """Plays it once. Nothing that it starts outlives it."""
    folder = tmp_path_factory.mktemp("rehearsal")
    file = folder / "Pulumi.nodeless.yaml"
    original = yaml.safe_load(STACK_FILE.read_text())
    # The scaling is the same with a shorter wait, only sooner over.
    _pool(original["config"])["disruption"]["consolidateAfter"] = "10s"
    file.write_text(yaml.safe_dump(original))
    rehearsal = Rehearsal(
        Options(state=folder / "state", stack="nodeless", stack_file=file),
        Console(file=io.StringIO(), width=200),
    )
    rehearsal.start()
    try:
        yield _play(rehearsal, file, original)
    finally:
        rehearsal.stop()


def _play(rehearsal: Rehearsal, file: Path, original: dict[str, Any]) -> Rehearsed:
    mistaken = _mistaken(rehearsal, file, original)
    first_preview = rehearsal.engine().preview()
    up = rehearsal.engine().up()
    engine = rehearsal.engine()
    state_text = json.dumps(engine.export())
    second_preview = engine.preview()
    cluster = Cluster(rehearsal.state)
    rehearsal.show(engine)
    pools_ready = report.pools_table(cluster)[1]
    off_fargate = report.system_pods_table(cluster)[1]
    iam = aws_client("iam", rehearsal.state.endpoints)
    roles = {role["RoleName"] for role in iam.list_roles()["Roles"]}

    _change(file, original, lambda c: _pool(c)["limits"].update(cpu=500))
    update = rehearsal.engine().up()
    limits = cluster.get("/apis/karpenter.sh/v1/nodepools/default")["spec"]["limits"]
    preview_after_update = rehearsal.engine().preview()
    file.write_text(yaml.safe_dump(original))
    rehearsal.engine().up()
    _change(file, original, lambda c: _profiles(c)["kube-system"].append({"namespace": "batch"}))
    replacement = rehearsal.engine().preview()
    new_office = {"publicCidrs": ["198.51.100.0/24"]}
    _change(file, original, lambda c: c["frugal-eks:cluster"]["endpoint"].update(new_office))
    cluster_change = rehearsal.engine().preview()
    file.write_text(yaml.safe_dump(original))

    scenario = Scenario(cluster, rehearsal.state.endpoints, rehearsal.console)
    scenes = scenario.scale(INFLATE, [3, 10, 3, 0, 3])
    victim, after_interruption = scenario.interrupt()
    last_preview = rehearsal.engine().preview()
    # With pods still on spot nodes: the pools must be drained by a living controller.
    with _watching(cluster) as glimpses:
        destroy = rehearsal.engine().destroy()
    known = account.preexisting(rehearsal.stack_file, rehearsal.state.endpoints)
    left = leftovers.settle(rehearsal.state, known, patience=30, tell=lambda _: None)
    return Rehearsed(
        *mistaken,
        first_preview=first_preview,
        up=up,
        state_text=state_text,
        resources=json.loads(state_text)["deployment"]["resources"],
        second_preview=second_preview,
        pools_ready=pools_ready,
        off_fargate=off_fargate,
        roles=roles,
        update=update,
        preview_after_update=preview_after_update,
        limits_after_update=limits,
        replacement=replacement,
        cluster_change=cluster_change,
        scenes=scenes,
        victim=victim,
        after_interruption=after_interruption,
        last_preview=last_preview,
        destroy=destroy,
        glimpses=glimpses,
        left=left,
        token=rehearsal.state.admin_token.read_text().strip(),
        folder=rehearsal.state.path,
    )


def _mistaken(
    rehearsal: Rehearsal, file: Path, original: dict[str, Any]
) -> tuple[int, str, list[Thing]]:
    """`up` with a stack file of three mistakes: exit code, what is told, what was made."""
    bad = file.with_name("Pulumi.mistaken.yaml")

    def spoil(config: dict[str, Any]) -> None:
        config["frugal-eks:cluster"]["version"] = "1.17"
        config["frugal-eks:network"]["nat"] = "single"
        _pool(config)["nodeClass"] = "missing"

    _change(bad, original, spoil)
    state = rehearsal.state
    arguments = ["up", "--state", str(state.path), "--stack", "mistaken", "--stack-file", str(bad)]
    with pytest.MonkeyPatch.context() as patch:
        told = io.StringIO()
        patch.setattr("sys.stderr", told)
        patch.setattr("sys.stdout", told)
        code = command_line.main(arguments)
    known = account.preexisting(rehearsal.stack_file, state.endpoints)
    return code, told.getvalue(), leftovers.find(state, known)


def _change(
    file: Path, original: dict[str, Any], change: Callable[[dict[str, Any]], object]
) -> None:
    changed = copy.deepcopy(original)
    change(changed["config"])
    file.write_text(yaml.safe_dump(changed))


def _profiles(config: dict[str, Any]) -> dict[str, Any]:
    return config["frugal-eks:fargate"]["profiles"]


def _pool(config: dict[str, Any]) -> dict[str, Any]:
    return config["frugal-eks:karpenter"]["nodePools"]["default"]


@contextmanager
def _watching(cluster: Cluster) -> Iterator[list[Glimpse]]:
    """Looks at node claims and at the controller, in the background."""
    seen: list[Glimpse] = []
    done = threading.Event()

    def exists(path: str) -> bool:
        try:
            cluster.get(path)
        except LookupError:
            return False
        return True

    def watch() -> None:
        while not done.wait(0.3):
            # The claims first: the controller may only go after them.
            claims = len(cluster.items(CLAIMS))
            seen.append(Glimpse(claims, exists(CONTROLLER)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def times(outcome: Outcome, name: str, type_part: str) -> tuple[float, float]:
    """When the one resource of this name and type was begun and finished."""
    found = [
        step
        for step in outcome.steps
        if step.name == name and type_part in step.type and step.op != "same"
    ]
    assert len(found) == 1, [(s.op, s.type, s.name) for s in outcome.steps]
    assert found[0].finished is not None
    return found[0].started, found[0].finished


def changed(outcome: Outcome) -> set[tuple[str, str]]:
    return {(step.op, step.name) for step in outcome.steps if step.custom and step.op != "same"}


def of_type(outcome: Outcome, type_part: str) -> list[tuple[float, float, str]]:
    found = [s for s in outcome.steps if type_part in s.type and s.custom]
    return sorted((s.started, s.finished or 0.0, s.name) for s in found)


@pytest.mark.feature("B-07")
def test_a_mistaken_stack_file_is_told_once_and_makes_nothing(rehearsed):
    told = rehearsed.mistaken_told

    assert rehearsed.mistaken_exit == 1
    assert "Traceback" not in told
    for mistake in ("cluster.version", "network.nat:", "nodePools.default.nodeClass"):
        assert told.count(mistake) == 1, told
    assert rehearsed.left_by_mistaken == []


@pytest.mark.feature("B-42")
def test_the_first_preview_shows_all_that_up_makes(rehearsed):
    planned = {step.urn for step in rehearsed.first_preview.steps if step.op == "create"}
    made = {step.urn for step in rehearsed.up.steps if step.op == "create"}

    assert rehearsed.first_preview.succeeded
    assert {urn for urn in made - planned if "pulumi:providers:" not in urn} == set()
    assert planned - made == set()


@pytest.mark.feature("C-21", "B-34")
def test_a_preview_after_up_is_empty(rehearsed):
    assert rehearsed.second_preview.is_empty, changed(rehearsed.second_preview)


def test_a_preview_after_load_and_interruption_is_empty(rehearsed):
    assert rehearsed.last_preview.is_empty, changed(rehearsed.last_preview)


@pytest.mark.feature("B-45")
def test_no_token_is_in_the_state_or_in_a_log_of_the_engine(rehearsed):
    assert rehearsed.token not in rehearsed.state_text
    files = [*rehearsed.folder.glob("backend/**/*"), *rehearsed.folder.glob("logs/engine-*")]
    read = [file for file in files if file.is_file()]
    assert read
    assert [file for file in read if rehearsed.token in file.read_text(errors="replace")] == []


@pytest.mark.feature("A2-01")
def test_the_stack_has_no_group_of_nodes(rehearsed):
    types = {resource["type"] for resource in rehearsed.resources}

    assert not [t for t in types if "nodeGroup" in t or "autoscaling" in t]
    assert any("FargateProfile" in t for t in types)


@pytest.mark.feature("A2-48")
def test_every_pod_of_kube_system_is_on_fargate(rehearsed):
    assert rehearsed.off_fargate == []


@pytest.mark.feature("A2-55")
def test_pools_and_node_classes_are_ready(rehearsed):
    assert rehearsed.pools_ready


@pytest.mark.feature("B-23", "A2-29", "A2-30")
def test_fargate_profiles_are_made_and_deleted_one_at_a_time(rehearsed):
    for outcome in (rehearsed.up, rehearsed.destroy):
        profiles = of_type(outcome, "fargateProfile")
        assert len(profiles) == 2, profiles  # noqa: PLR2004
        (_, first_done, _), (second_begun, _, _) = profiles
        assert first_done <= second_begun
    assert "karpenter" in of_type(rehearsed.up, "fargateProfile")[0][2]


def test_a_limit_of_a_pool_is_changed_in_place(rehearsed):
    pools = [(s.op, s.type) for s in rehearsed.update.steps if s.op != "same" and s.custom]

    assert pools == [("update", "kubernetes:karpenter.sh/v1:NodePool")]
    assert rehearsed.limits_after_update["cpu"] in {500, "500"}
    assert rehearsed.preview_after_update.is_empty


def test_a_selector_of_a_fargate_profile_replaces_the_profile(rehearsed):
    ops = [(s.op, s.type.rpartition(":")[2]) for s in rehearsed.replacement.steps if s.op != "same"]

    assert ("replace", "FargateProfile") in ops
    assert {kind for _, kind in ops} == {"FargateProfile"}


@pytest.mark.feature("B-01", "B-45")
def test_a_change_of_the_control_plane_touches_nothing_that_stands_on_it(rehearsed):
    assert changed(rehearsed.cluster_change) == {("update", "cluster-eksCluster")}


@pytest.mark.feature("A2-07", "A2-50", "A2-53")
def test_karpenter_gives_pods_spot_nodes_and_takes_them_away(rehearsed):
    three, ten, fewer, none, again = rehearsed.scenes

    assert sum(len(node.pods) for node in ten.nodes) == 10  # noqa: PLR2004
    assert {node.capacity for scene in rehearsed.scenes for node in scene.nodes} == {SPOT}
    assert 0 < three.cost < ten.cost
    assert fewer.cost <= ten.cost
    assert none.nodes == []
    assert again.nodes
    sizes = {node.instance_type.partition(".")[2] for node in ten.nodes}
    assert not sizes & {"nano", "micro", "small", "medium", "large"}
    assert all(node.price for node in ten.nodes)


def test_an_interrupted_spot_node_is_replaced(rehearsed):
    after = rehearsed.after_interruption

    assert rehearsed.victim.capacity == SPOT
    assert rehearsed.victim.name not in {node.name for node in after.nodes}
    assert sum(len(node.pods) for node in after.nodes) == 3  # noqa: PLR2004


@pytest.mark.feature("C-02")
def test_pools_are_drained_while_their_controller_lives(rehearsed):
    assert rehearsed.glimpses[0].claims > 0
    assert [g for g in rehearsed.glimpses if g.claims and not g.controller] == []
    assert rehearsed.glimpses[-1] == Glimpse(0, controller=False)


@pytest.mark.feature("C-02", "C-18")
def test_the_stack_is_destroyed_in_the_order_that_it_needs(rehearsed):
    destroy = rehearsed.destroy
    inflate = times(destroy, "inflate", "Deployment")
    pool, node_class = (of_type(destroy, kind)[0] for kind in (":NodePool", ":EC2NodeClass"))
    crds, controller = (
        next(r for r in of_type(destroy, ":Release") if ("crd" in r[2]) == is_crd)
        for is_crd in (True, False)
    )
    profile = next(r for r in of_type(destroy, "fargateProfile") if "karpenter" in r[2])
    control_plane = next(iter(of_type(destroy, "eks/cluster:Cluster")))

    order = [inflate, pool[:2], node_class[:2], controller[:2], profile[:2], control_plane[:2]]
    assert [done <= begun for (_, done), (begun, _) in pairwise(order)] == ([True] * 5), order
    assert controller[1] <= crds[0]
    for kind in ("natGateway", "route:Route", "rolePolicyAttachment", "queue:Queue"):
        for begun, _, name in of_type(destroy, kind):
            if "karpenter" in name or kind in {"natGateway", "route:Route"}:
                assert pool[1] <= begun, name


@pytest.mark.feature("C-18")
def test_the_stack_is_made_in_the_order_that_it_needs(rehearsed):
    up = rehearsed.up
    control_plane = of_type(up, "eks/cluster:Cluster")[0]
    profiles = of_type(up, "fargateProfile")
    controller = next(r for r in of_type(up, ":Release") if "crd" not in r[2])
    pool = of_type(up, ":NodePool")[0]
    inflate = times(up, "inflate", "Deployment")

    order = [control_plane, profiles[0], controller, pool, (*inflate, "inflate")]
    assert [a[1] <= b[0] for a, b in pairwise(order)] == [True] * 4, order
    assert of_type(up, "logGroup")[0][1] <= control_plane[0]
    # Beside the control plane, not in front of it.
    assert of_type(up, "natGateway")[0][0] < control_plane[1]


@pytest.mark.feature("A2-12", "A2-13")
def test_roles_carry_the_names_that_others_refer_to(rehearsed):
    assert "KarpenterNodeRole-nodeless" in rehearsed.roles


def test_nothing_is_left(rehearsed):
    assert rehearsed.left == []
