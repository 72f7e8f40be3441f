"""The tags, read as the Cluster Autoscaler reads them (cloudprovider/aws/aws_manager.go)."""

import re

import pytest

from components.names import TAG_KEY_LIMIT
from components.nodes.spot_config import SpotNodeGroupConfig
from components.nodes.spot_tags import discovery_tags, group_tags

PREFIX = "k8s.io/cluster-autoscaler/node-template"
SIZE = {"min": 0, "max": 5}
TAINTS = [
    {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"},
    {"key": "example.com/alone", "effect": "NoExecute"},
    {"key": "dedicated", "value": "batch", "effect": "NoSchedule"},
]
LABELS = {"lifecycle": "Ec2Spot", "example.com/team": "a.b_c", "empty": ""}
QUANTITY = re.compile(r"\d+(Mi|Gi)?")


def tags_of(**settings):
    fewest = {"releaseVersion": "1.35.8-20260930", "size": SIZE}
    config = SpotNodeGroupConfig.model_validate(fewest | settings)
    return group_tags(
        cluster="spot",
        key="ng",
        name="spot-ng",
        node_template=config.node_template(),
        handler="aws-node-termination-handler/spot",
    )


def autoscaler_labels(tags):
    """What follows the prefix; of other tags, what follows `eks:`."""
    found = {}
    for key, value in tags.items():
        parts = key.split(f"{PREFIX}/label/")
        parts = parts if len(parts) > 1 else key.split("eks:")
        if len(parts) > 1 and parts[1]:
            found[parts[1]] = value
    return found


def autoscaler_taints(tags):
    """Of all tags whose value ends like a taint's."""
    found = []
    for key, value in tags.items():
        parts = key.split(f"{PREFIX}/taint/")
        if re.search("(.*):(?:NoSchedule|NoExecute|PreferNoSchedule)", value) and len(parts) > 1:
            text, effect = value.split(":", 1)
            found.append((parts[1], text, effect))
    return found


def autoscaler_resources(tags):
    found = {}
    for key, value in tags.items():
        parts = key.split(f"{PREFIX}/resources/")
        if len(parts) > 1:
            assert QUANTITY.fullmatch(value)
            found[parts[1]] = value
    return found


@pytest.mark.feature("B-33")
def test_the_autoscaler_learns_labels_taints_and_resources_of_a_node_that_is_not_there():
    tags = tags_of(instanceTypes=["m5.large"], labels=LABELS, taints=TAINTS, volumeGib=50)

    assert autoscaler_labels(tags) == LABELS
    assert autoscaler_taints(tags) == [
        ("spotInstance", "true", "PreferNoSchedule"),
        ("example.com/alone", "", "NoExecute"),
        ("dedicated", "batch", "NoSchedule"),
    ]
    resources = {"cpu": "2", "memory": "8192Mi", "ephemeral-storage": "50Gi"}
    assert autoscaler_resources(tags) == resources


@pytest.mark.feature("B-33")
@pytest.mark.parametrize(
    ("settings", "cpu", "memory"),
    [
        # It would take the first type, and promise what the others do not have.
        ({"instanceTypes": ["m5.xlarge", "c5.xlarge", "r5.large"]}, "2", "8192Mi"),
        ({"instanceTypes": ["r5.large", "c5.xlarge", "m5.xlarge"]}, "2", "8192Mi"),
        (
            {
                "instanceRequirements": {
                    "vCpu": {"min": 4, "max": 8},
                    "memoryMib": {"min": 15000},
                }
            },
            "4",
            "15000Mi",
        ),
    ],
)
def test_no_type_has_less_than_the_autoscaler_is_promised(settings, cpu, memory):
    found = autoscaler_resources(tags_of(**settings))

    assert (found["cpu"], found["memory"]) == (cpu, memory)


@pytest.mark.feature("A3-06")
def test_the_autoscaler_s_discovery_and_its_rights_find_the_group():
    tags = tags_of(instanceTypes=["m5.large"])

    assert discovery_tags("spot").items() <= tags.items()
    assert tags["k8s.io/cluster-autoscaler/enabled"] == "true"
    assert tags["k8s.io/cluster-autoscaler/spot"] == "owned"
    assert tags["kubernetes.io/cluster/spot"] == "owned"


def test_only_the_handler_s_tag_depends_on_the_handler():
    tags = tags_of(instanceTypes=["m5.large"])
    without = group_tags(cluster="spot", key="ng", name="spot-ng", node_template={}, handler=None)

    handler = "aws-node-termination-handler/spot"
    assert tags[handler] == "true"
    assert set(without) == {key for key in tags if PREFIX not in key} - {handler}


def test_keys_fit_for_the_longest_name_of_a_cluster_and_of_a_label():
    longest = f"{'a' * 63}.example.com/{'b' * 6}"
    config = SpotNodeGroupConfig.model_validate(
        {
            "instanceTypes": ["m5.large"],
            "releaseVersion": "1.35.8-20260930",
            "size": SIZE,
            "labels": {longest: ""},
        }
    )
    tags = group_tags(
        cluster="c" * 100, key="k", name="n", node_template=config.node_template(), handler=None
    )

    assert max(map(len, tags)) == TAG_KEY_LIMIT
