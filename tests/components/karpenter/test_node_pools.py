import pytest
from pydantic import ValidationError

from components.karpenter.crd_rules import violations
from components.karpenter.node_pools import NodePoolConfig, node_pool_spec

CAPACITY_TYPE = "karpenter.sh/capacity-type"
FAMILY = "karpenter.k8s.aws/instance-family"


def config(**settings):
    return NodePoolConfig(**({"node_class": "default"} | settings))


def spec(**settings):
    """The spec of a pool with these settings, which the API server must take."""
    found = node_pool_spec(config(**settings))
    kind = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}}
    assert violations("NodePool", kind | {"spec": found}) == []
    return found


def required(**settings):
    """The requirements by their keys."""
    return {each["key"]: each for each in spec(**settings)["template"]["spec"]["requirements"]}


def refused(**settings):
    """What is said of these settings; one mistake, however many rules it breaks."""
    with pytest.raises(ValidationError) as error:
        config(**settings)
    (detail,) = error.value.errors()
    return detail["msg"]


@pytest.mark.feature("A2-53")
def test_every_default_that_matters_is_written_out():
    assert spec() == {
        "template": {
            "spec": {
                "nodeClassRef": {
                    "group": "karpenter.k8s.aws",
                    "kind": "EC2NodeClass",
                    "name": "default",
                },
                "requirements": [
                    {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
                    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                    {"key": CAPACITY_TYPE, "operator": "In", "values": ["spot", "on-demand"]},
                    {
                        "key": "karpenter.k8s.aws/instance-category",
                        "operator": "In",
                        "values": ["c", "m", "r"],
                    },
                    {
                        "key": "karpenter.k8s.aws/instance-generation",
                        "operator": "Gt",
                        "values": ["2"],
                    },
                ],
                "expireAfter": "720h",
                "terminationGracePeriod": "30m",
            }
        },
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "1m",
            "budgets": [{"nodes": "10%"}],
        },
    }


@pytest.mark.feature("A2-50")
def test_a_pool_can_be_spot_only():
    only = {"key": CAPACITY_TYPE, "operator": "In", "values": ["spot"]}

    assert required(capacity_types=("spot",))[CAPACITY_TYPE] == only
    assert required(requirements=(only,))[CAPACITY_TYPE] == only


@pytest.mark.feature("A2-51")
def test_a_limit_that_is_not_given_is_not_invented():
    assert spec(limits={"cpu": 1000})["limits"] == {"cpu": "1000"}
    assert "limits" not in spec()


@pytest.mark.feature("A2-52", "A2-53")
def test_nodes_can_be_short_lived_and_packed_together():
    found = spec(
        expire_after="120s",
        disruption={
            "consolidation_policy": "WhenEmptyOrUnderutilized",
            "consolidate_after": "30s",
        },
    )

    assert found["template"]["spec"]["expireAfter"] == "120s"
    assert found["disruption"]["consolidationPolicy"] == "WhenEmptyOrUnderutilized"
    assert found["disruption"]["consolidateAfter"] == "30s"


def test_nodes_can_be_left_alone_for_ever():
    found = spec(expire_after="Never", disruption={"consolidate_after": "Never"})

    assert found["template"]["spec"]["expireAfter"] == "Never"
    assert found["disruption"]["consolidateAfter"] == "Never"


def test_who_chooses_instance_types_gets_no_default_beside_them():
    keys = {"key": FAMILY, "operator": "In", "values": ["m7g"]}

    found = required(requirements=(keys,), architectures=("arm64",))

    assert list(found) == ["kubernetes.io/os", "kubernetes.io/arch", CAPACITY_TYPE, FAMILY]
    assert found["kubernetes.io/arch"]["values"] == ["arm64"]


def test_a_requirement_of_the_user_takes_the_place_of_the_default():
    own = {"key": "kubernetes.io/arch", "operator": "Exists"}

    assert required(requirements=(own,))["kubernetes.io/arch"] == own


@pytest.mark.parametrize(
    ("requirement", "problem"),
    [
        ({"operator": "In"}, "values: operator In needs values: list at least one"),
        ({"operator": "NotIn"}, "values: operator NotIn needs values: list at least one"),
        (
            {"operator": "Exists", "values": ("a",)},
            "values: operator Exists takes no values: drop them",
        ),
        (
            {"operator": "Gt", "values": ("2", "3")},
            "values: operator Gt compares with one whole number: "
            'write it as text, for example ["4"]',
        ),
        (
            {"operator": "Lt", "values": ("two",)},
            "values: operator Lt compares with one whole number: "
            'write it as text, for example ["4"]',
        ),
        (
            {"operator": "In", "values": ("a", "b"), "min_values": 3},
            "minValues: is more than there are values, 2: list more of them or lower it",
        ),
    ],
)
def test_a_requirement_whose_values_do_not_fit_its_operator_is_refused(requirement, problem):
    assert refused(requirements=({"key": FAMILY} | requirement,)) == problem


def test_a_requirement_can_ask_for_a_choice():
    own = {"key": FAMILY, "operator": "In", "values": ["m5", "m6i", "c5"]}

    assert required(requirements=(own | {"min_values": 2},))[FAMILY] == own | {"minValues": 2}


@pytest.mark.parametrize(
    ("short", "key"),
    [
        ({"capacity_types": ("spot",)}, CAPACITY_TYPE),
        ({"architectures": ("arm64",)}, "kubernetes.io/arch"),
    ],
)
def test_the_same_is_not_said_twice(short, key):
    own = {"key": key, "operator": "In", "values": ("x",)}

    problem = f"requirements has {key} too, which says the same: drop one"
    assert refused(requirements=(own,), **short).endswith(problem)


def test_taints_labels_and_weight_reach_the_nodes():
    taint = {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"}
    found = spec(
        taints=(taint,),
        startup_taints=({"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"},),
        labels={"intent": "apps"},
        weight=10,
    )

    assert found["template"]["spec"]["taints"] == [taint]
    assert found["template"]["spec"]["startupTaints"] == [
        {"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}
    ]
    assert found["template"]["metadata"] == {"labels": {"intent": "apps"}}
    assert found["weight"] == 5 + 5


def test_a_taint_is_named_once():
    taint = {"key": "team", "effect": "NoSchedule"}

    told = refused(taints=(taint,), startup_taints=(taint | {"value": "b"},))

    assert told == "taints: taints and startupTaints name it twice: drop one"


def test_a_budget_can_have_a_window_and_reasons():
    window = {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}
    reasons = {"nodes": "1", "reasons": ["Underutilized", "Drifted"]}

    budgets = spec(disruption={"budgets": (window, reasons)})["disruption"]["budgets"]

    assert budgets == [window, reasons]


@pytest.mark.parametrize(
    ("half", "absent"),
    [({"schedule": "@daily"}, "duration"), ({"duration": "8h"}, "schedule")],
)
def test_a_window_has_a_start_and_a_length(half, absent):
    told = refused(disruption={"budgets": ({"nodes": "0"} | half,)})

    assert told == f"{absent}: schedule and duration belong together: give both or none"


@pytest.mark.parametrize("nodes", ["101%", "-1", "half", "1.5"])
def test_a_budget_is_a_share_or_a_number(nodes):
    assert refused(disruption={"budgets": ({"nodes": nodes},)}).startswith("String should match")
