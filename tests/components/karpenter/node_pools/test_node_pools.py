"""A pool as a whole: what is written out, what reaches its nodes, what it can cost."""

from pathlib import Path

import pytest
import yaml

from tests.components.karpenter.node_pools.node_pool import config, required, spec, told

CAPACITY_TYPE = "karpenter.sh/capacity-type"
SIZE = "karpenter.k8s.aws/instance-size"
HEAVIEST = 100
SMALL = ["nano", "micro", "small", "medium", "large"]
ROOT = Path(__file__).parents[4]


@pytest.mark.feature("A1-05")
@pytest.mark.parametrize("stack", ["consolidation", "nodeless"])
def test_the_pool_of_a_shipped_stack_is_called_default(stack):
    text = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")

    assert list(yaml.safe_load(text)["config"]["frugal-eks:karpenter"]["nodePools"]) == ["default"]


@pytest.mark.feature("A1-03", "A1-14", "A2-53")
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


@pytest.mark.feature("A1-06", "A1-07", "A1-08", "A1-09", "A1-10", "A1-11")
def test_the_pool_of_the_document_is_written_with_the_present_names():
    found = spec(
        nodeClass="default",
        labels={"intent": "apps"},
        capacityTypes=["on-demand"],
        excludeSizes=SMALL,
        limits={"cpu": 1000, "memory": "1000Gi"},
        expireAfter="720h",
    )

    template = found["template"]
    assert template["metadata"] == {"labels": {"intent": "apps"}}
    assert template["spec"]["nodeClassRef"] == {
        "group": "karpenter.k8s.aws",
        "kind": "EC2NodeClass",
        "name": "default",
    }
    assert {"key": CAPACITY_TYPE, "operator": "In", "values": ["on-demand"]} in (
        template["spec"]["requirements"]
    )
    assert {"key": SIZE, "operator": "NotIn", "values": SMALL} in template["spec"]["requirements"]
    assert template["spec"]["expireAfter"] == "720h"
    assert found["limits"] == {"cpu": "1000", "memory": "1000Gi"}


@pytest.mark.feature("A2-50", "A1-07")
@pytest.mark.parametrize("types", [["spot"], ["on-demand"], ["reserved", "spot"]])
def test_a_pool_can_be_of_one_capacity_type(types):
    only = {"key": CAPACITY_TYPE, "operator": "In", "values": types}

    assert required(capacityTypes=types)[CAPACITY_TYPE] == only
    assert required(requirements=[only])[CAPACITY_TYPE] == only


@pytest.mark.feature("A2-51")
def test_a_limit_that_is_not_given_is_not_invented():
    assert spec(limits={"cpu": 1000})["limits"] == {"cpu": "1000"}
    assert "limits" not in spec()


@pytest.mark.feature("A1-09")
def test_limits_are_text_of_any_resource_and_of_nodes():
    limits = {"memory": "1000Gi", "nodes": 20, "nvidia.com/gpu": 8, "hugepages-2Mi": "1Gi"}

    assert spec(limits=limits)["limits"] == limits | {"nodes": "20", "nvidia.com/gpu": "8"}


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"cpu": 1.5}, 'limits.cpu: the API takes no decimal number: write "1500m" (got 1.5)'),
        ({"cpu": 8.0}, "limits.cpu: the API takes no decimal number: write 8 (got 8.0)"),
        (
            {"cpu": True},
            "limits.cpu: is no amount: write a number, or text with one of m, k, M, G, T, P, E, "
            "Ki, Mi, Gi, Ti, Pi or Ei behind it (got true)",
        ),
        (
            {"memory": "1000GB"},
            "limits.memory: is no amount: write a number and at most one of m, k, M, G, T, P, E, "
            'Ki, Mi, Gi, Ti, Pi or Ei, for example 1000Gi (got "1000GB")',
        ),
        (
            {"mem": "10Gi"},
            "limits.mem: no node has it: write one of cpu, memory, ephemeral-storage, pods, nodes, "
            'or a name with its domain, for example nvidia.com/gpu (got "10Gi")',
        ),
    ],
)
def test_a_limit_that_would_limit_nothing_is_refused(limits, said):
    assert told(limits=limits) == [said]


@pytest.mark.feature("A2-52", "A2-53")
def test_nodes_can_be_short_lived_and_packed_together():
    found = spec(
        expireAfter="120s",
        disruption={
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "30s",
        },
    )

    assert found["template"]["spec"]["expireAfter"] == "120s"
    assert found["disruption"]["consolidationPolicy"] == "WhenEmptyOrUnderutilized"
    assert found["disruption"]["consolidateAfter"] == "30s"


def test_nodes_can_be_left_alone_for_ever():
    found = spec(expireAfter="Never", disruption={"consolidateAfter": "Never"})

    assert found["template"]["spec"]["expireAfter"] == "Never"
    assert found["disruption"]["consolidateAfter"] == "Never"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"expireAfter": "30d"},
            'expireAfter: is not how the API writes a duration: write 720h (got "30d")',
        ),
        (
            {"expireAfter": "P1DT12H"},
            'expireAfter: is not how the API writes a duration: write 36h (got "P1DT12H")',
        ),
        ({"expireAfter": 30}, "expireAfter: has no unit: write 30s, 30m or 30h (got 30)"),
        ({"expireAfter": "never"}, 'expireAfter: write Never, with a capital (got "never")'),
        (
            {"expireAfter": "3000000h"},
            "expireAfter: is more than 292 years, the longest that can be counted: write less "
            '(got "3000000h")',
        ),
        (
            {"disruption": {"consolidateAfter": "PT1H"}},
            "disruption.consolidateAfter: is not how the API writes a duration: write 1h "
            '(got "PT1H")',
        ),
    ],
)
def test_an_age_is_told_how_the_api_writes_it(settings, said):
    assert told(**settings) == [said]


@pytest.mark.parametrize("spelling", ["Never", "never"])
def test_a_drain_has_an_end(spelling):
    assert told(terminationGracePeriod=spelling) == [
        "terminationGracePeriod: has to end, or a destroy could wait for ever: drop the key for "
        f'30m, or write the longest that you accept, for example 24h (got "{spelling}")'
    ]
    assert config().termination_grace_period == "30m"


def test_taints_labels_annotations_and_weight_reach_the_nodes():
    taint = {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"}
    startup = {"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}
    found = spec(
        taints=[taint],
        startupTaints=[startup],
        labels={"intent": "apps"},
        annotations={"example.com/owner": "Team Blue, 3rd floor"},
        weight=100,
    )

    assert found["template"]["spec"]["taints"] == [taint]
    assert found["template"]["spec"]["startupTaints"] == [startup]
    assert found["template"]["metadata"] == {
        "labels": {"intent": "apps"},
        "annotations": {"example.com/owner": "Team Blue, 3rd floor"},
    }
    assert found["weight"] == HEAVIEST


def test_a_taint_is_named_once_in_both_lists_together():
    team, gpu = ({"key": key, "effect": "NoSchedule"} for key in ("team", "gpu"))
    softly = {"key": "team", "effect": "PreferNoSchedule"}

    assert told(taints=[team, softly, gpu], startupTaints=[team | {"value": "b"}, gpu]) == [
        "startupTaints[0]: taints[0] has this key and effect too: drop one of them "
        '(got "team:NoSchedule")',
        "startupTaints[1]: taints[2] has this key and effect too: drop one of them "
        '(got "gpu:NoSchedule")',
    ]
    assert told(taints=[team, team]) == [
        'taints[1]: taints[0] has this key and effect too: drop one of them (got "team:NoSchedule")'
    ]


@pytest.mark.parametrize("weight", [0, 101])
def test_a_weight_lies_between_1_and_100(weight):
    (said,) = told(weight=weight)

    assert said.endswith(f"(got {weight})")
