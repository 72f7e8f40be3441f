"""How a stack file is narrowed for the session, and when Karpenter has come to peace."""

import io

import pytest
from rich.console import Console

from rehearsal.consolidation import peace
from rehearsal.consolidation.peace import Passes, Peace, passes
from rehearsal.consolidation.session import KARPENTER, narrowed, pools_of_both
from rehearsal.errors import RehearsalError
from rehearsal.karpenter_commands import KarpenterCommands, has_session
from rehearsal.nodes_now import Node
from rehearsal.stack_file import StackFile
from rehearsal.state import State
from rehearsal.whole_run import run

SAMPLES = "frugal-eks:sampleWorkloads"
CAPACITY = "karpenter.sh/capacity-type"


def file(pools, **more):
    config = {KARPENTER: {"nodePools": pools, "controller": {"x": 1}}, **more}
    return StackFile("Pulumi.try.yaml", "try", {"config": config})


def requirement(operator, *values):
    return {"key": CAPACITY, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("pool", "after"),
    [
        ({"capacityTypes": ["spot", "on-demand"]}, {"capacityTypes": ["on-demand"]}),
        (
            {
                "requirements": [
                    {"key": "a", "operator": "Exists"},
                    requirement("In", "on-demand", "spot"),
                ]
            },
            {"requirements": [{"key": "a", "operator": "Exists"}, requirement("In", "on-demand")]},
        ),
    ],
)
def test_a_pool_with_both_capacity_types_begins_with_on_demand(pool, after):
    stack = file({"a": {"nodeClass": "c", **pool}, "b": {"capacityTypes": ["spot"]}})

    assert pools_of_both(stack) == ["a"]
    pools = narrowed(stack)[KARPENTER]
    assert pools == {
        "nodePools": {"a": {"nodeClass": "c", **after}, "b": {"capacityTypes": ["spot"]}},
        "controller": {"x": 1},
    }
    assert pools_of_both(stack) == ["a"], "the file itself stays as it is"


@pytest.mark.parametrize(
    "pools",
    [
        {},
        None,
        [1],
        {"a": None},
        {"a": {"capacityTypes": ["spot"]}},
        {"a": {"capacityTypes": "spot"}},
        {"a": {"requirements": [requirement("NotIn", "on-demand", "spot"), 5]}},
    ],
)
def test_without_such_a_pool_there_is_no_session(pools, tmp_path):
    stack = file(pools, **{SAMPLES: {"inflate": {}}})

    assert narrowed(stack) == {}
    assert not has_session(stack)
    with pytest.raises(RehearsalError, match=r"give one `capacityTypes: \[spot, on-demand\]`\.$"):
        KarpenterCommands(State(tmp_path), None, stack).replay(None, None)


def test_a_session_needs_a_workload_too():
    pools = {"a": {"capacityTypes": ["spot", "on-demand"]}}

    assert has_session(file(pools, **{SAMPLES: {"inflate": {}}}))
    assert not has_session(file(pools))


METRICS = """\
# HELP karpenter_voluntary_disruption_decision_evaluation_duration_seconds Duration
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count{consolidation_type="multi",reason="underutilized"} 70
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_sum{consolidation_type="single",reason="underutilized"} 17.3
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count{consolidation_type="single",reason="underutilized"} 65
karpenter_voluntary_disruption_failed_validations_total{consolidation_type="multi"} 1
karpenter_voluntary_disruption_failed_validations_total{consolidation_type="empty"} 2
"""  # noqa: E501


def test_passes_are_counted_at_their_last_part():
    assert passes(METRICS) == Passes(looked=65, failed=3)
    assert passes("") == Passes(0, 0)


class PlayedKarpenter:
    """Claims, and what the metrics say; each pod that passes by is counted."""

    def __init__(self):
        self.young, self.never, self.passes, self.passed_by = False, False, Passes(10, 0), 0
        self.claimed = True

    def items(self, path):
        if path == peace.POOLS:
            after = "Never" if self.never else "30s"
            return [
                {
                    "metadata": {"name": "default"},
                    "spec": {"disruption": {"consolidateAfter": after}},
                }
            ]
        status = {"conditions": [{"type": "Consolidatable", "status": str(not self.young)}]}
        metadata = {"name": "default-a", "labels": {"karpenter.sh/nodepool": "default"}}
        return [{"metadata": metadata, "status": status}] if self.claimed else []

    def create(self, path, thing):
        assert (path, thing["spec"]["schedulerName"]) == (peace.PODS, "nobody")
        self.passed_by += 1

    def delete(self, path):
        assert path == f"{peace.PODS}/{peace.PASSER_BY['metadata']['name']}"


def node(*pods):
    return Node(
        name="n",
        owner="pool default",
        instance_type="c6a.xlarge",
        capacity="spot",
        zone="a",
        instance_id="i",
        ready=True,
        leaving=False,
        price=1.0,
        pods=pods,
    )


@pytest.fixture
def karpenter():
    return PlayedKarpenter()


@pytest.fixture
def calm(karpenter, tmp_path, monkeypatch):
    monkeypatch.setattr(Peace, "_passes", lambda _: karpenter.passes)
    return Peace(State(tmp_path), karpenter)


def test_there_is_peace_after_two_passes_over_the_same_nodes(karpenter, calm):
    assert calm.look([node("a")]) == (
        False,
        "Karpenter has looked 0 of 2 times at the nodes as they are",
    )
    karpenter.passes = Passes(11, 0)
    assert not calm.look([node("a")])[0]
    karpenter.passes = Passes(12, 0)
    assert calm.look([node("a")])[0]
    assert karpenter.passed_by == 1


@pytest.mark.parametrize("change", ["pods", "failed"])
def test_what_changes_is_looked_at_anew(karpenter, calm, change):
    calm.look([node("a")])
    karpenter.passes = Passes(12, 1 if change == "failed" else 0)

    assert not calm.look([node("b" if change == "pods" else "a")])[0]
    assert karpenter.passed_by == 2  # noqa: PLR2004
    karpenter.passes = karpenter.passes._replace(looked=14)
    assert calm.look([node("b" if change == "pods" else "a")])[0]


def test_a_node_within_consolidate_after_is_waited_for(karpenter, calm):
    karpenter.young = True
    calm.look([node("a")])
    karpenter.passes = Passes(20, 0)

    assert calm.look([node("a")]) == (
        False,
        "default-a had pods come or go within consolidateAfter",
    )
    karpenter.young = False
    assert not calm.look([node("a")])[0]
    karpenter.passes = Passes(22, 0)
    assert calm.look([node("a")])[0]


@pytest.mark.parametrize("why", ["never", "claimed"])
def test_without_a_node_that_could_go_there_is_peace_at_once(karpenter, calm, why):
    karpenter.never, karpenter.claimed = why == "never", why != "claimed"

    assert calm.look([])[0]


def test_without_metrics_there_is_no_peace(karpenter, calm):
    karpenter.passes = None

    assert calm.look([node("a")]) == (False, "Karpenter does not tell its metrics")


def test_metrics_are_asked_where_the_last_karpenter_gives_them(tmp_path):
    state = State(tmp_path)
    calm = Peace(state, PlayedKarpenter())

    assert calm.look([])[1] == "Karpenter does not tell its metrics"
    state.karpenter_metrics.write_text("http://127.0.0.1:1/metrics\n")
    assert calm.look([])[1] == "Karpenter does not tell its metrics"


class PlayedRehearsal:
    """Notes what a run calls, in its order."""

    def __init__(self, path, stack):
        self.state, self.stack_file, self.called = State(path), stack, []
        self.console = Console(file=io.StringIO())

    def __getattr__(self, name):
        return lambda *_, **__: self.called.append(name)


@pytest.mark.parametrize(
    ("capacities", "scenario", "load"),
    [
        (["spot", "on-demand"], True, ["replay"]),
        (["spot"], True, ["scale"]),
        (["spot", "on-demand"], False, []),
    ],
)
def test_a_run_replays_the_session_where_a_pool_allows_both(capacities, scenario, load, tmp_path):
    stack = file({"a": {"capacityTypes": capacities}}, **{SAMPLES: {"inflate": {}}})
    played = PlayedRehearsal(tmp_path, stack)

    run(played, scenario=scenario, keep=False)

    assert played.called == ["start", "up", *load, "preview", "destroy", "stop"]
