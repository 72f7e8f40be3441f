import pytest

from components.workloads.spot_preference import (
    SpotNodes,
    prefer_spot,
    spot_affinity,
    spot_toleration,
)

# The guide's own text.
AFFINITY = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 1,
                "preference": {
                    "matchExpressions": [
                        {"key": "lifecycle", "operator": "In", "values": ["Ec2Spot"]}
                    ]
                },
            }
        ]
    }
}
TOLERATION = {
    "key": "spotInstance",
    "operator": "Equal",
    "value": "true",
    "effect": "PreferNoSchedule",
}
OTHERS = SpotNodes(label="capacity", value="spot", taint="capacity-spot")


@pytest.mark.feature("A0-22", "A0-36")
def test_the_affinity_is_the_guides():
    assert spot_affinity() == AFFINITY
    assert prefer_spot({"containers": []})["affinity"] == AFFINITY


@pytest.mark.feature("A0-23", "A0-36")
def test_the_toleration_is_the_guides():
    assert spot_toleration() == TOLERATION
    assert prefer_spot({"containers": []})["tolerations"] == [TOLERATION]


def test_nodes_may_be_labelled_and_tainted_otherwise():
    pod = prefer_spot({}, OTHERS)

    (term,) = pod["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    (toleration,) = pod["tolerations"]
    assert term["preference"]["matchExpressions"] == [
        {"key": "capacity", "operator": "In", "values": ["spot"]}
    ]
    assert toleration == TOLERATION | {"key": "capacity-spot"}


def test_nothing_that_the_pod_says_itself_is_lost():
    term = {"weight": 50, "preference": {"matchFields": []}}
    required = {"nodeSelectorTerms": [{"matchExpressions": []}]}
    pod = {
        "containers": [{"name": "web"}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": required,
                "preferredDuringSchedulingIgnoredDuringExecution": [term],
            },
            "podAntiAffinity": {"of": "theirs"},
        },
        "tolerations": [{"operator": "Exists"}],
    }

    preferring = prefer_spot(pod)

    (ours,) = AFFINITY["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert preferring == {
        "containers": [{"name": "web"}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": required,
                "preferredDuringSchedulingIgnoredDuringExecution": [term, ours],
            },
            "podAntiAffinity": {"of": "theirs"},
        },
        "tolerations": [{"operator": "Exists"}, TOLERATION],
    }
    assert pod["tolerations"] == [{"operator": "Exists"}]


def test_a_pod_that_prefers_spot_stays_as_it_is():
    once = prefer_spot({"containers": []})

    assert prefer_spot(once) == once


def test_keys_without_a_value_are_as_good_as_absent():
    empty = {"affinity": None, "tolerations": None}

    assert prefer_spot(empty) == prefer_spot({})
