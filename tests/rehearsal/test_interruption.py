"""Interruptions: who is chosen, what AWS says, and what the watch of a drain sees."""

import datetime
import io
import itertools
import json
import types

import pytest
from rich.console import Console

from rehearsal.errors import RehearsalError
from rehearsal.interruptions import announcements, interruption, under_way
from rehearsal.interruptions.announcements import NOTICE_SECONDS, Kind, event, notices_of
from rehearsal.interruptions.draining import Budgets, Moves, unmoved
from rehearsal.interruptions.interruption import Interruption, Outcome
from rehearsal.interruptions.spot_report import print_outcome
from rehearsal.nodes.notices import Notices, read, write
from rehearsal.nodes_now import Node
from rehearsal.state import State

ENDPOINTS = {"apiServer": "", "aws": "", "region": "eu-west-1", "account": "111122223333"}
NOW = datetime.datetime(2026, 11, 21, 10, 0, tzinfo=datetime.UTC)
HANDLER = {"app.kubernetes.io/name": "aws-node-termination-handler"}


def node(name="n1", **more):
    fields = {
        "owner": "self-managed ng-spot",
        "instance_type": "m5.large",
        "capacity": "spot",
        "zone": "eu-west-1a",
        "instance_id": f"i-{name}",
        "ready": True,
        "leaving": False,
        "price": 0.03,
        "pods": ("default/web-1",),
    }
    return Node(name=name, **(fields | more))


def pod(name, on, owner="rs", kind="ReplicaSet", phase="Running"):
    metadata = {"name": name, "namespace": "default", "uid": name}
    if owner:
        metadata["ownerReferences"] = [{"kind": kind, "uid": owner, "controller": True}]
    status = "True" if on else "False"
    return {
        "metadata": metadata,
        "spec": {"nodeName": on} if on else {},
        "status": {"phase": phase, "conditions": [{"type": "Ready", "status": status}]},
    }


def leaving(pod):
    pod["metadata"]["deletionTimestamp"] = "now"
    return pod


def budget(healthy, desired, expected=4, name="web"):
    counts = {"currentHealthy": healthy, "desiredHealthy": desired, "expectedPods": expected}
    return {"metadata": {"name": name, "namespace": "default"}, "status": counts}


class PlayedCluster:
    """What is there, the test says; a drain goes on by a step a look."""

    def __init__(self, *pods, budgets=()):
        self.pods, self.budgets, self.events = list(pods), list(budgets), []

    def items(self, path):
        if "labelSelector" in path:
            return [pod("handler", "safe")] if self.handler else []
        kind = path.rpartition("/")[2]
        return {
            "pods": self.pods,
            "poddisruptionbudgets": self.budgets,
            "events": self.events,
        }.get(kind, [])

    handler = True


class PlayedEc2:
    """Remembers what it was asked for."""

    def __init__(self, *, rebalances=True):
        self.asked, self.rebalances = [], rebalances

    def announce(self, kind, instance):
        self.asked.append((str(kind), instance))

    def end_after_notice(self, instance, seconds=NOTICE_SECONDS):
        self.asked.append(("ends", instance, seconds))

    def rebalance(self, instance):
        self.asked.append(("rebalances", instance))
        return self.rebalances

    def hold_launches(self, instances):
        self.asked.append(("holds", *instances))
        return ["dev-spot"]

    def release_launches(self, groups):
        self.asked.append(("releases", *groups))

    def retire(self, instance):
        self.asked.append(("retires", instance))


@pytest.fixture
def clock():
    """A clock that the test turns."""
    return itertools.count().__next__


class Played(Interruption):
    """Without AWS: `states` are the nodes at one look after the other, the last one stays."""

    def __init__(self, cluster, ec2, *states):
        self.cluster, self.ec2 = cluster, ec2
        self.console = Console(file=io.StringIO(), width=200)
        self.states = list(states)

    def nodes(self):
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


@pytest.fixture(autouse=True)
def _hurry(monkeypatch):
    monkeypatch.setattr("rehearsal.progress.time.sleep", lambda _: None)
    monkeypatch.setattr(interruption, "PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(under_way, "HOOK_SECONDS", 0)


def test_the_fullest_spot_node_is_chosen_that_somebody_drains():
    full = node("full", pods=("a/1", "a/2"))
    managed = node("managed", owner="group base", pods=("a/3", "a/4", "a/5"))
    play = Played(PlayedCluster(), PlayedEc2(), [node(), full, managed, node("od", capacity="on")])

    assert play.victim(None, Kind.SPOT) == full
    assert play.victim("i-n1", Kind.REBALANCE) == node()
    assert play.victim("od", Kind.MAINTENANCE).name == "od"
    with pytest.raises(RehearsalError, match=r"interrupted is called od: there are n1, full\.$"):
        play.victim("od", Kind.SPOT)
    with pytest.raises(RehearsalError, match=r"called managed: there are n1, full, od\.$"):
        play.victim("managed", Kind.MAINTENANCE)


def test_without_spot_nodes_it_says_how_to_come_to_one():
    play = Played(PlayedCluster(), PlayedEc2(), [node(capacity="on-demand")])

    for interrupt in (lambda: play.victim(None, Kind.SPOT), play.storm):
        with pytest.raises(RehearsalError, match=r"There is no spot node .*rehearse scale 3` br"):
            interrupt()


def test_a_node_that_nobody_would_drain_is_not_interrupted():
    cluster, ec2 = PlayedCluster(), PlayedEc2()
    cluster.handler = False

    with pytest.raises(RehearsalError, match=r"put `addons\.nodeTerminationHandler` into"):
        Played(cluster, ec2, [node()]).play(node())
    assert ec2.asked == []


def drain(cluster, *, cordoned=True, ec2=None, kind=Kind.SPOT, **fields):
    """Interrupt n1; it goes after it has been seen `cordoned`, and n2 comes."""
    ec2 = ec2 or PlayedEc2()
    seen = [node(leaving=cordoned)]
    play = Played(cluster, ec2, [node()], [node()], seen, [node("n2", **fields)])
    return play.play(node(), kind), ec2


def test_a_drained_node_is_replaced_and_its_end_is_not_waited_for():
    outcome, ec2 = drain(PlayedCluster())

    assert outcome.failures() == []
    assert [one.name for one in outcome.new_nodes] == ["n2"]
    assert ec2.asked[:2] == [("spot", "i-n1"), ("ends", "i-n1", NOTICE_SECONDS)]
    assert ec2.asked[2:] == [("ends", "i-n1", 0)]


def test_a_node_that_ends_without_being_cordoned_is_a_failure():
    outcome, _ = drain(PlayedCluster(), cordoned=False)

    with pytest.raises(RehearsalError, match=r"did harm:\n  nobody drained n1 before it ended$"):
        outcome.require_held()


def test_a_group_that_does_not_rebalance_keeps_its_drained_node():
    ec2 = PlayedEc2(rebalances=False)
    play = Played(PlayedCluster(), ec2, [node()], [node()], [node(leaving=True)])

    outcome = play.play(node(), Kind.REBALANCE)

    assert outcome.failures() == []
    assert "n1 stays, drained: its group has no capacityRebalance" in outcome.notes[0]
    assert ec2.asked == [("rebalance", "i-n1"), ("rebalances", "i-n1")]


def test_an_instance_under_maintenance_is_retired_once_it_is_drained():
    _, ec2 = drain(PlayedCluster(), kind=Kind.MAINTENANCE)

    assert ec2.asked == [("maintenance", "i-n1"), ("retires", "i-n1")]


def test_a_pod_that_stays_on_the_node_is_told_with_the_last_events():
    cluster = PlayedCluster(pod("web-1", "n1"))

    with pytest.raises(RehearsalError, match="0 of 1 nodes drained, 1 not yet gone"):
        Played(cluster, PlayedEc2(), [node()]).play(node())


def test_karpenter_only_reports_a_rebalance_recommendation():
    cluster, ec2 = PlayedCluster(), PlayedEc2()
    own = node(owner="pool default")
    play = Played(cluster, ec2, [own])

    with pytest.raises(RehearsalError, match="Karpenter has not told it yet"):
        play.play(own, Kind.REBALANCE)
    cluster.events = [{"reason": "SpotRebalanceRecommendation"}]
    outcome = play.play(own, Kind.REBALANCE)

    assert outcome.failures() == []
    assert outcome.notes[0].startswith("Karpenter only reports a rebalance recommendation")


def test_a_storm_takes_every_spot_node_and_counts_the_pods_that_ran_on_demand(monkeypatch):
    monkeypatch.setattr(interruption, "STORM_GAP_SECONDS", 0.01)
    base = node("base", owner="group base", capacity="on-demand")
    steady = pod("steady", "base")
    cluster, ec2 = PlayedCluster(steady), PlayedEc2()
    going = [node(leaving=True), node("n2", leaving=True), base]
    fresh = [node("n3"), node("n4"), base]
    before = [node(), node("n2"), base]

    states = iter([before, before, before, going, going, going])

    def nodes():
        if found := next(states, None):
            return found
        cluster.pods = [pod("other", "base")]
        return fresh if ("releases", "dev-spot") in ec2.asked else [base]

    play = Played(cluster, ec2, [])
    play.nodes = nodes
    outcome = play.storm()

    assert [one for one in ec2.asked if one[0] == "spot"] == [("spot", "i-n1"), ("spot", "i-n2")]
    assert ec2.asked[0] == ("holds", "i-n1", "i-n2")
    assert ("releases", "dev-spot") in ec2.asked[ec2.asked.index(("spot", "i-n2")) :]
    assert outcome.notes == [
        "With no spot instance to be had, 0 pods from spot nodes ran on demand and 0 waited for "
        "room."
    ]
    assert outcome.failures() == ["default/steady ran on demand, and did not survive"]


def test_a_pod_is_followed_to_the_one_in_its_place(clock):
    there = [pod("web-1", "n1"), pod("web-2", "n2"), pod("proxy", "n1", kind="DaemonSet")]
    cluster = PlayedCluster(*there, pod("job", "n1", phase="Succeeded"))
    moves = Moves(cluster, clock)
    moves.tell("n1")
    moves.look(())
    assert moves.drained == {}

    cluster.pods = [leaving(pod("web-1", "n1")), *there[1:], pod("web-3", None)]
    moves.look({"n1"})
    assert moves.drained == {}
    cluster.pods = [*there[1:], pod("web-3", "n2"), pod("other", "n2", owner="another")]
    moves.look(())

    (moved,) = moves.pods.values()
    assert (moved.name, moved.now, moved.now_on) == ("default/web-1", "default/web-3", "n2")
    assert 0 < moved.gone < moved.ready
    assert list(moves.drained) == ["n1"]


def test_a_pod_that_must_move_twice_has_two_rows(clock):
    cluster = PlayedCluster(pod("web-1", "n1"))
    moves = Moves(cluster, clock)
    moves.tell("n1")
    cluster.pods = [pod("web-2", "n2")]
    moves.look(())
    moves.tell("n2")
    cluster.pods = [pod("web-3", "base")]
    moves.look(())

    rows = [(one.name, one.now) for one in moves.pods.values()]
    assert rows == [("default/web-1", "default/web-2"), ("default/web-2", "default/web-3")]


def test_a_bare_pod_has_no_successor(clock):
    cluster = PlayedCluster(pod("alone", "n1", owner=None))
    moves = Moves(cluster, clock)
    moves.tell("n1")
    cluster.pods = [pod("web-2", "n2")]
    moves.look(())

    (moved,) = moves.pods.values()
    assert (moved.now, moved.ready) == ("", None)


def test_a_budget_is_broken_only_if_it_was_met_before():
    cluster = PlayedCluster(
        budgets=[budget(4, 3), budget(0, 1, name="never"), budget(0, 0, 0, name="nobody")]
    )
    budgets = Budgets(cluster)
    budgets.look()
    cluster.budgets[0] = budget(2, 3)
    budgets.look()
    cluster.budgets[0] = budget(4, 3)
    budgets.look()

    seen = {name: (one.healthy, one.broken) for name, one in budgets.seen.items()}
    assert seen == {"default/web": (2, True), "default/never": (0, False)}


def test_unmoved_pods_are_those_of_the_nodes_that_have_not_ended():
    pods = [pod("a", "n1"), pod("b", "n2"), pod("c", "n1", phase="Failed")]

    assert unmoved(PlayedCluster(*pods), ["n1"]) == {"a": "default/a"}


def outcome(clock, **fields):
    cluster = PlayedCluster(pod("web-1", "n1"), pod("web-2", "n1"))
    moves = Moves(cluster, clock)
    moves.tell("n1")
    budgets = Budgets(PlayedCluster(budgets=[budget(4, 3)]))
    budgets.look()
    given = {
        "kind": Kind.SPOT,
        "victims": [node()],
        "moves": list(moves.pods.values()),
        "budgets": list(budgets.seen.values()),
        "drained": {"n1": 7.25},
        "seconds": 12.0,
        "nodes": [],
        "new_nodes": [node("n2")],
    }
    return Outcome(**(given | fields))


def test_a_late_pod_and_a_broken_budget_are_told(clock):
    told = outcome(clock)
    told.moves[0].gone = NOTICE_SECONDS + 1
    told.moves[1].gone = NOTICE_SECONDS - 1
    told.budgets[0].healthy, told.budgets[0].broken = 2, True

    assert told.failures() == [
        "default/web-1 was still on n1 after 120 s",
        "PodDisruptionBudget default/web wants 3 healthy pods, and there were 2",
    ]


def test_what_is_shown_has_each_pod_and_the_seconds(clock):
    told = outcome(clock)
    told.moves[0].gone, told.moves[0].now, told.moves[0].now_on = 3.14, "default/web-9", "base"
    console = Console(file=io.StringIO(), width=200)

    print_outcome(console, told)

    text = console.file.getvalue()
    assert "n1 (self-managed ng-spot): drained in 7.2 s" in text
    assert "PodDisruptionBudget default/web: held, at worst 4 healthy pods of 3 wanted" in text
    assert [line for line in text.splitlines() if "web-9" in line and "3.1" in line]
    assert "New nodes, 12 s after the announcement" in text


def test_the_groups_of_given_instances_alone_get_no_others(monkeypatch, tmp_path):
    calls = []

    class AutoScaling:
        def describe_auto_scaling_instances(self, InstanceIds):
            # Without ids: all of the account, as AWS does.
            named = {"i-1": "dev-a", "i-2": "dev-b"}
            ids = InstanceIds or named
            return {"AutoScalingInstances": [{"AutoScalingGroupName": named[one]} for one in ids]}

        def suspend_processes(self, **asked):
            calls.append(("suspend", *asked.values()))

        def resume_processes(self, **asked):
            calls.append(("resume", *asked.values()))

    monkeypatch.setattr(announcements, "aws_client", lambda *_: AutoScaling())
    ec2 = announcements.Ec2(types.SimpleNamespace(path=tmp_path, endpoints=ENDPOINTS))

    assert ec2.hold_launches([]) == []
    ec2.release_launches(ec2.hold_launches(["i-1"]))
    assert calls == [("suspend", "dev-a", ["Launch"]), ("resume", "dev-a", ["Launch"])]


@pytest.mark.parametrize(
    ("kind", "source", "detail_type", "detail"),
    [
        (
            Kind.SPOT,
            "aws.ec2",
            "EC2 Spot Instance Interruption Warning",
            {"instance-id": "i-1", "instance-action": "terminate"},
        ),
        (
            Kind.REBALANCE,
            "aws.ec2",
            "EC2 Instance Rebalance Recommendation",
            {"instance-id": "i-1"},
        ),
        (
            Kind.MAINTENANCE,
            "aws.health",
            "AWS Health Event",
            {
                "service": "EC2",
                "eventTypeCode": "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
                "eventTypeCategory": "scheduledChange",
                "startTime": "Sat, 21 Nov 2026 10:02:00 GMT",
                "affectedEntities": [{"entityValue": "i-1"}],
            },
        ),
    ],
)
def test_events_are_those_of_aws(kind, source, detail_type, detail):
    entry = event(kind, "i-1", ENDPOINTS, NOW)

    assert (entry["Source"], entry["DetailType"]) == (source, detail_type)
    assert json.loads(entry["Detail"]) == detail


def test_instance_metadata_tell_the_same_and_are_kept(tmp_path):
    state = State(tmp_path)
    spot = {"action": "terminate", "time": "2026-11-21T10:02:00Z"}

    assert notices_of(Kind.SPOT, "i-1", NOW) == Notices(spot_action=spot)
    assert notices_of(Kind.REBALANCE, "i-1", NOW).rebalance == {
        "noticeTime": "2026-11-21T10:00:00Z"
    }
    (scheduled,) = notices_of(Kind.MAINTENANCE, "i-1", NOW).scheduled
    assert (scheduled["NotBefore"], scheduled["State"]) == ("21 Nov 2026 10:02:00 GMT", "active")
    assert read(state, "i-1") == Notices()
    write(state, "i-1", notices_of(Kind.MAINTENANCE, "i-1", NOW))
    assert read(state, "i-1").scheduled == (scheduled,)
