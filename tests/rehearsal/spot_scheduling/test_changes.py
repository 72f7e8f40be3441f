"""Labels and samples through a life: the real engine, and the Kubernetes provider's patches."""

import pytest

from rehearsal.engine import EngineError
from tests.rehearsal.nodeless.stage import wait
from tests.rehearsal.own_programs import engine_of
from tests.rehearsal.spot_scheduling.world import ON_DEMAND, SPOT, node, spot

pytestmark = pytest.mark.engine

PROGRAM = """
import pulumi
import pulumi_kubernetes as k8s

from components.nodes.node_labels import NodeLabels, NodeLabelsArgs
from components.nodes.node_labels_config import NodeLabelsConfig
from components.workloads.sample_workloads.config import SampleWorkloadsConfig
from components.workloads.sample_workloads.sample_workloads import (
    SampleWorkloads,
    SampleWorkloadsArgs,
)

config = pulumi.Config()
provider = k8s.Provider("cluster", kubeconfig=config.require("kubeconfig"))
in_cluster = pulumi.ResourceOptions(providers=[provider])
entries = [NodeLabelsConfig(**entry) for entry in config.require_object("nodeLabels")]
labels = NodeLabels("node-labels", NodeLabelsArgs(config=entries), in_cluster)
samples = SampleWorkloadsConfig(**config.require_object("sampleWorkloads"))
args = SampleWorkloadsArgs(config=samples, needs=[labels])
SampleWorkloads("sample-workloads", args, in_cluster)
"""
SERVICES = [f"ecsdemo-{name}" for name in ("crystal", "frontend", "nodejs")]
PODS = 2
LABELLED = {"nodes": ON_DEMAND, "labels": {"lifecycle": "OnDemand"}}


class Stack:
    """A program of labels and samples, on an engine of its own."""

    def __init__(self, world, engine):
        self.world, self.engine = world, engine

    def settings(self, *labelled, **samples):
        """What the next operation finds in the stack file."""
        kubeconfig = self.world.state.kubeconfig.read_text()
        wanted = {"nodeLabels": list(labelled), "sampleWorkloads": samples}
        settings = {f"frugal-eks:{key}": value for key, value in wanted.items()}
        self.engine.prepare({**settings, "frugal-eks:kubeconfig": kubeconfig})

    def labels(self):
        """The label of each node that there is, None where it has none."""
        listed = self.world.cluster.items("/api/v1/nodes")
        return {
            one["metadata"]["name"]: one["metadata"]["labels"].get("lifecycle") for one in listed
        }

    def deployments(self):
        """Those that there are, by name."""
        listed = self.world.cluster.items("/apis/apps/v1/namespaces/default/deployments")
        return {one["metadata"]["name"]: one for one in listed}

    def frontends(self):
        """How many pods the frontend is to have."""
        return self.deployments()["ecsdemo-frontend"]["spec"]["replicas"]


@pytest.fixture
def stack(world, tmp_path, cli):
    return Stack(world, engine_of(PROGRAM, world.state, cli, tmp_path))


def unlabelled():
    """Nodes that run already, as somebody else made them."""
    return [node(name, labels={"team": "web"}) for name in ON_DEMAND]


@pytest.mark.feature("A0-01", "A0-33")
def test_labels_are_put_on_nodes_that_run_and_taken_off_again_with_nothing_else(stack):
    stack.world.nodes(*unlabelled(), *spot(*SPOT))
    before = stack.labels()
    stack.settings(LABELLED)

    up = stack.engine.up()
    labelled, again = stack.labels(), stack.engine.preview()
    stack.settings(LABELLED | {"nodes": ON_DEMAND[:1]})
    stack.engine.up()
    fewer = stack.labels()
    stack.engine.destroy()

    assert up.changes["create"] == len(["stack", "provider", "labels", "samples", *ON_DEMAND])
    assert labelled == before | dict.fromkeys(ON_DEMAND, "OnDemand")
    assert set(again.changes) == {"same", "read"}
    assert fewer == before | {ON_DEMAND[0]: "OnDemand"}
    assert stack.labels() == before
    for name in ON_DEMAND:
        kept = stack.world.cluster.get(f"/api/v1/nodes/{name}")["metadata"]["labels"]
        assert kept["team"] == "web"


def test_a_label_that_was_set_by_hand_to_the_same_value_stays(stack):
    stack.world.nodes(*unlabelled())
    stack.world.kubectl("label", "node", ON_DEMAND[0], "lifecycle=OnDemand")
    stack.settings(LABELLED)

    stack.engine.up()
    stack.engine.destroy()

    assert stack.labels() == {name: None for name in ON_DEMAND} | {ON_DEMAND[0]: "OnDemand"}


def test_a_label_that_somebody_else_set_otherwise_is_an_error_that_names_them(stack):
    stack.world.nodes(*unlabelled())
    stack.world.kubectl(
        "label", "node", ON_DEMAND[0], "lifecycle=Ec2Spot", "--field-manager=somebody"
    )
    stack.settings(LABELLED | {"nodes": ON_DEMAND[:1]})

    with pytest.raises(EngineError, match=r"somebody[\s\S]*metadata\.labels\.lifecycle"):
        stack.engine.up()

    assert stack.labels()[ON_DEMAND[0]] == "Ec2Spot"
    stack.engine.destroy()


def test_a_node_that_is_not_there_is_an_error_and_is_not_made(stack):
    stack.world.nodes(*unlabelled())
    stack.settings(LABELLED | {"nodes": ["ip-10-0-0-7"]})

    with pytest.raises(EngineError, match=r"resource 'ip-10-0-0-7' does not exist"):
        stack.engine.up()

    assert set(stack.labels()) == set(ON_DEMAND)
    stack.engine.destroy()


def test_a_node_that_is_gone_is_forgotten_and_does_not_come_back(stack):
    stack.world.nodes(*unlabelled())
    stack.settings(LABELLED)
    stack.engine.up()

    stack.world.kubectl("delete", "node", ON_DEMAND[0])
    stack.settings(LABELLED | {"nodes": ON_DEMAND[1:]})
    stack.engine.refresh()
    stack.engine.up()

    assert stack.labels() == dict.fromkeys(ON_DEMAND[1:], "OnDemand")
    stack.engine.destroy()
    assert stack.labels() == dict.fromkeys(ON_DEMAND[1:])


def test_a_new_node_of_the_same_name_is_labelled_too(stack):
    stack.world.nodes(*unlabelled()[:1])
    stack.settings(LABELLED | {"nodes": ON_DEMAND[:1]})
    stack.engine.up()

    stack.world.kubectl("delete", "node", ON_DEMAND[0])
    stack.world.nodes(*unlabelled()[:1])
    stack.engine.refresh()
    stack.engine.up()

    assert stack.labels() == {ON_DEMAND[0]: "OnDemand"}
    stack.engine.destroy()
    assert stack.labels() == {ON_DEMAND[0]: None}


@pytest.mark.feature("A0-29", "A0-31")
def test_the_preference_is_turned_on_in_place_and_the_samples_go_as_they_came(stack):
    stack.world.nodes(*unlabelled(), *spot(*SPOT))
    demos = {"inflate": {"replicas": 1}, "ecsdemo": {"spotPreference": False}}
    stack.settings(LABELLED, **demos)
    stack.engine.up()
    without = stack.deployments()
    elsewhere = [stack.world.places(name, 1)[0] for name in SERVICES]

    stack.settings(LABELLED, **demos | {"ecsdemo": {}})
    turned_on = stack.engine.up()
    preferring = stack.deployments()
    on_spot = [stack.world.places(name, 1)[0] for name in SERVICES]

    stack.settings(LABELLED, inflate=demos["inflate"])
    turned_off = stack.engine.up()
    stack.engine.destroy()

    assert set(elsewhere) <= set(ON_DEMAND)
    assert changes(turned_on) == {("update", "Deployment", name) for name in SERVICES}
    for name in SERVICES:
        old, new = without[name], preferring[name]
        assert old["metadata"]["uid"] == new["metadata"]["uid"]
        revisions = [
            one["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
            for one in (old, new)
        ]
        assert revisions == ["1", "2"]
    assert set(on_spot) <= set(SPOT)
    assert changes(turned_off) == {
        ("delete", kind, name) for kind in ("Deployment", "Service") for name in SERVICES
    }


def changes(outcome):
    """Operation, kind and name of all that did not stay the same."""
    return {
        (step.op, step.type.rpartition(":")[2], step.name)
        for step in outcome.steps
        if step.op not in {"same", "read"}
    }


@pytest.mark.feature("A3-12")
def test_the_autoscaler_of_pods_is_taken_and_no_update_sets_their_number_back(stack):
    stack.world.nodes(*unlabelled())
    scaling = {"horizontalPodAutoscaler": {"min": PODS}}
    stack.settings(ecsdemo=scaling)

    stack.engine.up()
    # It looks each 15 seconds.
    wait(lambda: stack.frontends() == PODS, 60)
    stack.settings(ecsdemo=scaling | {"cpu": "150m"})
    stack.engine.up()
    afterwards = stack.frontends()
    stack.engine.destroy()

    assert afterwards == PODS
