"""Where the real scheduler puts pods: soft taint, preference for spot, room."""

import pytest
import yaml

from components.workloads.sample_workloads.config import EcsdemoConfig
from components.workloads.sample_workloads.ecsdemo import deployment as sample
from components.workloads.spot_preference import prefer_spot
from tests.rehearsal.spot_scheduling.world import (
    ON_DEMAND,
    SPOT,
    deployment,
    example,
    node,
    on_demand,
    spot,
)

pytestmark = pytest.mark.engine

# On each node there is room for four pods of half a vCPU.
ROOM = 4
SERVICES = ("frontend", "crystal", "nodejs")


@pytest.mark.feature("A0-11", "A0-36")
def test_pods_that_say_nothing_go_to_spot_nodes_only_when_nothing_else_has_room(world):
    world.nodes(*on_demand(ON_DEMAND[0]), *spot(*SPOT))

    world.make(deployment("web", ROOM, {}))
    with_room = world.places("web", ROOM)
    world.scale("web", ROOM + 2)
    without = world.places("web", ROOM + 2)

    assert set(with_room) == {ON_DEMAND[0]}
    assert [place for place in without if place not in SPOT] == with_room


@pytest.mark.feature("A0-22", "A0-23", "A0-36")
def test_pods_that_prefer_spot_go_to_other_nodes_only_when_no_spot_node_has_room(world):
    world.nodes(*on_demand(*ON_DEMAND), *spot(SPOT[0]))

    world.make(deployment("web", ROOM, prefer_spot({})))
    with_room = world.places("web", ROOM)
    world.scale("web", ROOM + 2)
    without = world.places("web", ROOM + 2)

    assert set(with_room) == {SPOT[0]}
    assert [place for place in without if place not in ON_DEMAND] == with_room


@pytest.mark.feature("A0-36")
def test_the_example_of_the_guide_does_what_the_helper_does(world):
    world.nodes(*on_demand(*ON_DEMAND), *spot(SPOT[0]))
    added = yaml.safe_load(example("prefers-spot"))

    world.make(deployment("web", 2, added))

    assert set(world.places("web", 2)) == {SPOT[0]}
    assert added == prefer_spot({})


@pytest.mark.feature("A0-24")
@pytest.mark.parametrize("others", [[], [node(SPOT[0], labels={})]], ids=["none", "no label"])
def test_pods_that_prefer_spot_start_without_any(world, others):
    world.nodes(*on_demand(*ON_DEMAND), *others)

    world.make(deployment("web", 2, prefer_spot({})))

    assert len(world.places("web", 2)) == 1 + 1


@pytest.mark.feature("A0-23")
def test_a_taint_that_must_be_tolerated_is_not_what_the_toleration_is_about(world):
    hard = {"key": "spotInstance", "value": "true", "effect": "NoSchedule"}
    labels = {"lifecycle": "Ec2Spot"}
    world.nodes(*on_demand(ON_DEMAND[0]), node(SPOT[0], labels=labels, taint=hard))

    world.make(deployment("web", 1, prefer_spot({})))

    assert world.places("web", 1) == [ON_DEMAND[0]]


def test_the_samples_land_on_spot_nodes_that_have_room(world):
    world.nodes(*on_demand(*ON_DEMAND), *spot(*SPOT))

    world.make(*(sample(service, EcsdemoConfig(), "brentley") for service in SERVICES))

    for service in SERVICES:
        assert set(world.places(f"ecsdemo-{service}", 1)) <= set(SPOT)


def test_two_of_a_sample_keep_apart_on_the_two_spot_nodes(world):
    world.nodes(*on_demand(*ON_DEMAND), *spot(*SPOT))

    world.make(sample("frontend", EcsdemoConfig(replicas={"frontend": 2}), "brentley"))

    assert world.places("ecsdemo-frontend", 2) == sorted(SPOT)


def test_one_of_several_goes_to_the_zone_in_which_there_is_no_spot_node(world):
    world.nodes(*on_demand(*ON_DEMAND), *spot(*SPOT))

    world.make(sample("frontend", EcsdemoConfig(replicas={"frontend": 4}), "brentley"))

    places = world.places("ecsdemo-frontend", 4)
    assert [place for place in places if place not in SPOT] == [ON_DEMAND[2]]
