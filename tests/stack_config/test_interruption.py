"""Who drains which nodes, between the sections of a stack file."""

import pytest

import stack_config

BASE = {
    "capacityType": "ON_DEMAND",
    "instanceTypes": ["m6i.large"],
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 2, "max": 4},
    "labels": {"lifecycle": "OnDemand"},
}
SPOT = {
    "instanceTypes": ["m5.large", "m4.large", "m5a.large", "m5n.large"],
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 2, "max": 5},
    "labels": {"lifecycle": "Ec2Spot"},
}
POOL = "karpenter.sh/capacity-type"
IN_EXISTING = {"cluster": {"existing": "shared"}, "network": None, "managedNodeGroups": None}
HANDLER = "addons.nodeTerminationHandler"
NO_SAFE_NODE = (
    "has no safe node to run on: add a managedNodeGroups with capacityType: ON_DEMAND that starts "
    "with a node, or a profile for its pods to fargate.profiles"
)
NO_SUCH_NODE = (
    "no managedNodeGroups with capacityType: ON_DEMAND that starts with a node has these labels: "
    "give them to one, or select others"
)


@pytest.fixture
def shipped(stack_file):
    return {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}


@pytest.fixture
def told(shipped):
    """What is said of a handler, with groups of both kinds and no Karpenter unless changed."""

    def run(handler, **changes):
        sections = shipped | {
            "fargate": None,
            "karpenter": None,
            "managedNodeGroups": {"base": BASE},
            "spotNodeGroups": {"ng-spot": SPOT},
            "addons": {"nodeTerminationHandler": handler},
            "overprovisioning": None,
            "sampleWorkloads": None,
        }
        sections |= changes
        settings = {key: value for key, value in sections.items() if value is not None}
        config = stack_config.parsed(settings)
        if isinstance(config, stack_config.StackConfig):
            return []
        return [(mistake.path, mistake.problem, mistake.value) for mistake in config]

    return run


@pytest.mark.feature("C-19")
@pytest.mark.parametrize(
    "handler",
    [
        {},
        {"nodeSelector": {"lifecycle": "OnDemand"}},
        {"nodeSelector": {"eks.amazonaws.com/capacityType": "ON_DEMAND"}},
        {"mode": "imds"},
        {"mode": "imds", "nodeSelector": {"lifecycle": "Ec2Spot"}},
        {"mode": "imds", "manifest": "https://example.com/all-resources.yaml"},
    ],
)
def test_a_handler_of_spot_groups_is_right_in_either_mode(told, handler):
    assert told(handler) == []


@pytest.mark.feature("C-19")
@pytest.mark.parametrize("mode", ["queue", "imds"])
def test_a_handler_without_a_group_of_its_own_is_refused(told, mode):
    problem = (
        "there is no spotNodeGroups whose nodes it could drain, and managed groups and karpenter "
        "drain their own: add one, or drop it"
    )
    assert told({"mode": mode}, spotNodeGroups=None) == [(HANDLER, problem, None)]


def test_in_a_cluster_of_somebody_else_there_may_be_groups_but_no_rights_to_them(told):
    problem = (
        "its rights and its queue are about groups of this file, and there is no spotNodeGroups: "
        "add one, or choose mode: imds"
    )
    assert told({"mode": "imds"}, spotNodeGroups=None, **IN_EXISTING) == []
    assert told({}, spotNodeGroups=None, **IN_EXISTING) == [(HANDLER, problem, None)]


@pytest.mark.feature("C-19")
def test_a_handler_that_runs_on_no_node_of_a_group_is_refused(told):
    problem = (
        "no spotNodeGroups has nodes with these labels: give one of them the labels, or select "
        "others"
    )
    handler = {"mode": "imds", "nodeSelector": {"lifecycle": "spot"}}
    assert told(handler) == [(f"{HANDLER}.nodeSelector", problem, None)]
    by_terms = [{"key": "lifecycle", "operator": "In", "values": ["spot"]}]
    handler = {"mode": "imds", "affinity": [{"matchExpressions": by_terms}]}
    assert told(handler) == [(f"{HANDLER}.nodeSelector", problem, None)]


@pytest.mark.feature("C-19")
def test_spot_nodes_that_eks_drains_have_no_second_handler(told):
    groups = {"base": BASE, "cheap": BASE | {"capacityType": "SPOT"}}

    problem = (
        "its pods run on managedNodeGroups.cheap too, whose nodes EKS drains itself when spot "
        "takes them: select labels that only nodes of spotNodeGroups have"
    )
    assert told({"mode": "imds"}, managedNodeGroups=groups) == [
        (f"{HANDLER}.nodeSelector", problem, None)
    ]
    apart = {"mode": "imds", "nodeSelector": {"lifecycle": "Ec2Spot"}}
    assert told(apart, managedNodeGroups=groups) == []
    assert told({}, managedNodeGroups=groups) == []


@pytest.mark.feature("C-19", "A4-10")
def test_karpenter_s_nodes_have_no_second_handler_from_a_manifest(told, shipped):
    manifest = "https://example.com/all-resources.yaml"

    problem = (
        "its pods run on Karpenter's nodes too, which Karpenter drains itself: drop it, since the "
        "chart can keep them off"
    )
    karpenter = {"karpenter": shipped["karpenter"], "fargate": shipped["fargate"]}
    assert told({"mode": "imds", "manifest": manifest}, **karpenter) == [
        (f"{HANDLER}.manifest", problem, manifest)
    ]
    assert told({"mode": "imds"}, **karpenter) == []


@pytest.mark.feature("A4-01")
def test_karpenter_s_nodes_are_there_where_they_are_asked_for(told, shipped):
    handler = {"mode": "imds", "nodes": "karpenter"}

    problem = "there is no karpenter: add it, or choose autoScalingGroups"
    assert told(handler) == [(f"{HANDLER}.nodes", problem, "karpenter")]
    karpenter = {"karpenter": shipped["karpenter"], "fargate": shipped["fargate"]}
    assert told(handler, **karpenter) == []
    assert told(handler, spotNodeGroups=None, managedNodeGroups=None, **karpenter) == []
    assert told(handler, spotNodeGroups=None, **IN_EXISTING) == []


@pytest.mark.feature("C-19")
@pytest.mark.parametrize(
    "groups",
    [
        None,
        {"cheap": BASE | {"capacityType": "SPOT"}},
        {"none-yet": BASE | {"size": {"min": 0, "max": 4}}},
    ],
)
def test_a_queue_s_handler_has_a_node_that_spot_does_not_take(told, groups):
    assert told({}, managedNodeGroups=groups) == [(HANDLER, NO_SAFE_NODE, None)]
    # On Fargate nothing is taken away.
    profiles = {"profiles": {"system": [{"namespace": "kube-system"}]}}
    assert told({}, managedNodeGroups=groups, fargate=profiles) == []
    # A DaemonSet is where the nodes are.
    imds = {"mode": "imds", "nodeSelector": {"lifecycle": "Ec2Spot"}}
    assert told(imds, managedNodeGroups=groups) == []


@pytest.mark.feature("C-19")
def test_a_queue_s_handler_is_where_it_is_said_to_be(told, shipped):
    nowhere = {"nodeSelector": {"lifecycle": "Base"}}

    assert told(nowhere) == [(f"{HANDLER}.nodeSelector", NO_SUCH_NODE, None)]
    # Karpenter may launch such a node.
    karpenter = {
        "karpenter": shipped["karpenter"],
        "fargate": {
            "profiles": {
                "karpenter": [{"namespace": "karpenter"}],
                "dns": [{"namespace": "kube-system", "labels": {"k8s-app": "kube-dns"}}],
            }
        },
    }
    assert told({"nodeSelector": {POOL: "on-demand"}}, **karpenter) == []


@pytest.mark.feature("A4-07")
def test_a_mode_that_is_neither_is_told_as_the_file_has_it(told):
    assert told({"mode": "both"}) == [
        (HANDLER, "mode is neither queue nor imds: choose one of these", {"mode": "both"})
    ]


def test_a_mistake_inside_the_section_is_told_without_its_mode(told):
    assert told({"mode": "imds", "nodeTerminationGracePeriod": 0})[0][0] == (
        f"{HANDLER}.nodeTerminationGracePeriod"
    )
    (mistake,) = told({"heartbeatIntervalSecond": 60})
    assert mistake[:2] == (
        f"{HANDLER}.heartbeatIntervalSecond",
        "unknown key: did you mean heartbeatIntervalSeconds?",
    )


def test_a_daemon_set_has_its_selector_whatever_fargate_runs(told):
    profiles = {"profiles": {"system": [{"namespace": "kube-system"}]}}
    imds = {"mode": "imds", "nodeSelector": {"lifecycle": "Ec2Spot"}}

    assert told(imds, fargate=profiles) == []
    queue = {"nodeSelector": {"lifecycle": "OnDemand"}}
    ((path, _, _),) = told(queue, fargate=profiles)
    assert path == f"{HANDLER}.nodeSelector"
