"""Tables show what there is, in a terminal and in a log."""

import io

import pytest
from rich.console import Console

from rehearsal import report
from rehearsal.account_things import Thing
from rehearsal.nodes_now import Node, nodes_now
from rehearsal.scenario import Scene

STACK = "urn:pulumi:try::frugal-eks::pulumi:pulumi:Stack::frugal-eks-try"
READY = {"conditions": [{"type": "Ready", "status": "True"}]}


class FakeCluster:
    """Lists by path."""

    def __init__(self, **lists):
        self.lists = {path.replace("__", "/"): items for path, items in lists.items()}

    def items(self, path):
        return self.lists.get(path.rpartition("/")[2], [])


class FakePrices:
    """One price for spot, one for all else."""

    def hourly(self, instance_type, capacity_type, _zone):
        if instance_type == "unheard.of":
            return None
        return 0.03 if capacity_type == "spot" else 0.1


def shown(thing, width=160):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


def node(name, labels, **spec):
    return {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": READY}


def pod(name, node_name, kind="ReplicaSet", phase="Running", **annotations):
    return {
        "metadata": {
            "name": name,
            "namespace": "kube-system",
            "ownerReferences": [{"kind": kind}],
            "annotations": annotations,
        },
        "spec": {"nodeName": node_name},
        "status": {"phase": phase},
    }


KARPENTER = {
    "karpenter.sh/nodepool": "default",
    "karpenter.sh/capacity-type": "spot",
    "node.kubernetes.io/instance-type": "c6a.xlarge",
    "topology.kubernetes.io/zone": "eu-west-1a",
}
FARGATE = {"eks.amazonaws.com/compute-type": "fargate"}


def test_a_node_says_whose_it_is_what_it_costs_and_what_runs_on_it():
    cluster = FakeCluster(
        nodes=[
            node("fargate-1", FARGATE),
            node("spot-1", KARPENTER, providerID="kwok-aws:///eu-west-1a/i-123"),
            node(
                "base-1",
                {
                    "eks.amazonaws.com/nodegroup": "base",
                    "eks.amazonaws.com/capacityType": "ON_DEMAND",
                    "node.kubernetes.io/instance-type": "m7g.large",
                },
            ),
            node("own-1", {"lifecycle": "Ec2Spot"}, unschedulable=True),
        ],
        pods=[
            pod("coredns-1", "fargate-1", CapacityProvisioned="0.25vCPU 0.5GB"),
            pod("kube-proxy-1", "spot-1", kind="DaemonSet"),
            pod("inflate-1", "spot-1"),
            pod("ended", "spot-1", phase="Succeeded"),
        ],
    )

    nodes = nodes_now(cluster, FakePrices())

    spot, fargate, base, own = nodes
    assert (spot.name, spot.owner, spot.instance_id) == ("spot-1", "pool default", "i-123")
    assert (spot.price, spot.pods) == (0.03, ("kube-system/inflate-1",))
    assert (fargate.owner, fargate.instance_type) == ("fargate", "0.25vCPU 0.5GB")
    # 0.25 x 0.04048 + 0.5 x 0.004445
    assert fargate.price == pytest.approx(0.0123425)
    assert (base.owner, base.capacity, base.price) == ("group base", "on-demand", 0.1)
    assert (own.owner, own.capacity, own.leaving) == ("self-managed", "spot", True)
    text = shown(report.nodes_table(nodes))
    assert "4 together, 1 of them without a price" in text
    assert "0.1423" in text
    assert "own-1 (leaving)" in text


def test_resources_are_counted_below_their_component():
    network = STACK.replace("pulumi:pulumi:Stack::frugal-eks-try", "x$Network::network")
    platform = STACK.replace("pulumi:pulumi:Stack::frugal-eks-try", "x::platform")
    resources = [
        {"urn": STACK, "type": "pulumi:pulumi:Stack", "custom": False},
        {"urn": platform, "type": "frugal-eks:index:Platform", "custom": False, "parent": STACK},
        {"urn": network, "type": "frugal-eks:index:Network", "custom": False, "parent": platform},
        *(
            {"urn": f"s{n}", "type": "aws:ec2/subnet:Subnet", "custom": True, "parent": network}
            for n in range(3)
        ),
        {"urn": "v", "type": "aws:ec2/vpc:Vpc", "custom": True, "parent": network},
        {"urn": "p", "type": "pulumi:providers:aws", "custom": True, "parent": ""},
    ]

    text = shown(report.resources_table(resources))

    assert "network" in text
    assert "aws:ec2/Subnet x3, aws:ec2/Vpc" in text
    assert "│ together  │ 4 " in text


@pytest.mark.feature("A2-55")
def test_pools_and_classes_say_whether_each_is_ready():
    bad = {
        "metadata": {"name": "broken"},
        "status": {
            "conditions": [
                {"type": "Ready", "status": "False"},
                {"type": "SubnetsReady", "status": "False", "message": "no subnet matches"},
            ]
        },
    }
    cluster = FakeCluster(
        nodepools=[
            {"metadata": {"name": "default"}, "status": READY | {"resources": {"nodes": "2"}}},
            {"metadata": {"name": "new"}},
        ],
        ec2nodeclasses=[bad],
    )

    table, everyone = report.pools_table(cluster)

    text = shown(table)
    assert not everyone
    assert [line.split() for line in text.splitlines() if "NodePool" in line] == [
        ["│", "NodePool", "│", "default", "│", "yes", "│", "2", "│", "│"],
        [
            "│",
            "NodePool",
            "│",
            "new",
            "│",
            "NO",
            "│",
            "│",
            "Karpenter",
            "has",
            "not",
            "looked",
            "at",
            "it",
            "yet",
            "│",
        ],
    ]
    assert "SubnetsReady: no subnet matches" in text
    assert report.pools_table(FakeCluster(nodepools=cluster.lists["nodepools"][:1]))[1]


@pytest.mark.feature("A2-48")
def test_a_system_pod_that_is_not_on_fargate_is_named():
    cluster = FakeCluster(
        nodes=[node("fargate-1", FARGATE), node("spot-1", KARPENTER)],
        pods=[
            pod("coredns-1", "fargate-1"),
            pod("coredns-2", "spot-1"),
            pod("coredns-3", "", phase="Pending"),
            pod("aws-node-1", "spot-1", kind="DaemonSet"),
        ],
    )

    table, elsewhere = report.system_pods_table(cluster)

    assert elsewhere == ["coredns-2", "coredns-3"]
    assert "nowhere" in shown(table)


def test_a_scaling_shows_seconds_nodes_and_cost_of_each_step():
    two = [
        Node(
            name=f"n{n}",
            owner="pool default",
            instance_type="c6a.xlarge",
            capacity="spot",
            zone="eu-west-1a",
            instance_id=f"i-{n}",
            ready=True,
            leaving=False,
            price=0.05,
            pods=("default/a", "default/b"),
        )
        for n in range(2)
    ]

    text = shown(report.scenes_table([Scene("inflate at 4", 33.4, two), Scene("at 0", 70, [])]))

    assert "│ inflate at 4 │ 33      │ 2     │ c6a.xlarge spot eu-west-1a x2 │ 0.1000 │ 4" in text
    assert "│ none " in text


def test_what_is_left_is_named_even_if_it_looks_like_markup():
    text = shown(report.leftovers_table([Thing("security group", "sg-1", "[bold]odd[/bold]")]))

    assert "sg-1" in text
    assert "[bold]odd[/bold]" in text
