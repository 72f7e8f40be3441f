import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components.nodes.node_labels import NodeLabels, NodeLabelsArgs
from components.nodes.node_labels_config import NodeLabelsConfig, labelled_twice

PATCH = "kubernetes:core/v1:NodePatch"
NODES = [f"ip-192-168-{end}.ap-northeast-2.compute.internal" for end in ("21-20", "40-208")]
OTHER = "ip-10-0-0-7.eu-west-1.compute.internal"


def entry(nodes, **labels):
    return NodeLabelsConfig(nodes=nodes, labels=labels)


def labelled():
    """Nodes that run already, and a queue that stands for what the labels go before."""
    config = [entry(NODES, lifecycle="OnDemand"), entry([OTHER], lifecycle="Ec2Spot", team="web")]
    args = NodeLabelsArgs(config=config, needs=[aws.sqs.Queue("group")])
    return NodeLabels("node-labels", args)


@pytest.mark.feature("A0-01")
def test_each_node_gets_a_patch_of_its_labels_and_nothing_else(once):
    patches = once(labelled).every(PATCH)

    # They are declared side by side, in any order.
    patched = {patch.inputs["metadata"]["name"]: patch.inputs for patch in patches}
    assert patched == {
        node: {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": node, "labels": labels},
        }
        for node, labels in [
            *((node, {"lifecycle": "OnDemand"}) for node in NODES),
            (OTHER, {"lifecycle": "Ec2Spot", "team": "web"}),
        ]
    }


def test_a_node_is_looked_up_before_its_patch_which_would_make_one(once):
    for patch in once(labelled).every(PATCH):
        found = patch.urn.replace("NodePatch", "Node")
        assert found in patch.request.dependencies


def test_the_labels_go_before_what_they_stand_for(once):
    built = once(labelled)

    for patch in built.every(PATCH):
        assert built.waits_for(patch, built.one("aws:sqs/queue:Queue"))


def test_a_preview_shows_all_of_it(once):
    assert once(labelled, preview=True).tree() == once(labelled).tree()


@pytest.mark.parametrize(
    "settings",
    [
        {"nodes": [], "labels": {"a": "b"}},
        {"nodes": ["node"], "labels": {}},
        {"nodes": ["Node"], "labels": {"a": "b"}},
        {"nodes": ["node."], "labels": {"a": "b"}},
        {"nodes": ["n" * 254], "labels": {"a": "b"}},
        {"nodes": ["node"], "labels": {"a": "b c"}},
    ],
)
def test_what_the_api_server_would_refuse_is_refused(settings):
    with pytest.raises(ValidationError):
        NodeLabelsConfig(**settings)


@pytest.mark.parametrize(
    ("key", "owner"),
    [
        ("kubernetes.io/hostname", "kubernetes.io"),
        ("topology.kubernetes.io/zone", "kubernetes.io"),
        ("node-restriction.kubernetes.io/team", "kubernetes.io"),
        ("node.k8s.io/x", "k8s.io"),
        ("eks.amazonaws.com/nodegroup", "eks.amazonaws.com"),
        ("karpenter.sh/capacity-type", "karpenter.sh"),
        ("karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws"),
    ],
)
def test_labels_that_others_write_are_refused(key, owner):
    with pytest.raises(ValidationError) as refused:
        NodeLabelsConfig(nodes=["node"], labels={key: "x"})

    assert [error["msg"] for error in refused.value.errors()] == [
        f"labels.{key}: Kubernetes, EKS or Karpenter write labels under {owner} themselves, and "
        "rely on them: a destroy would take off what a running node needs; choose a key of your own"
    ]


@pytest.mark.parametrize(
    "key", ["lifecycle", "example.com/lifecycle", "notkubernetes.io/x", "node-role.kubernetes.io/a"]
)
def test_labels_of_ones_own_and_the_role_are_taken(key):
    assert NodeLabelsConfig(nodes=["node"], labels={key: "x"}).labels == {key: "x"}


def test_a_node_that_stands_in_two_entries_is_told_at_both():
    entries = [entry(["a", "b"], x="1"), entry(["c"], x="1"), entry(["b"], y="1")]

    found = list(labelled_twice(entries))

    told = "stands here more than once: put all its labels into one entry"
    assert [tuple(mistake) for mistake in found] == [
        ("[0].nodes[1]", told, "b"),
        ("[2].nodes[0]", told, "b"),
    ]
