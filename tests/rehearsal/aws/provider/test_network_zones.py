"""Zones that come and go in a living network, on the real engine and the played account."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.rehearsal.aws.provider.small_programs import Pulumi

pytestmark = pytest.mark.engine

PROGRAM = """
import pulumi

from components.location import Location
from components.network.config import NewNetworkConfig
from components.network.network import Network, NetworkArgs

config = pulumi.Config()
zones = config.get("names")
network = NewNetworkConfig(
    cidr="10.20.0.0/16",
    availability_zones=tuple(zones.split(",")) if zones else config.require_int("zones"),
    zones_at_creation=config.get_int("made"),
    nat_gateways=config.require("nat"),
    interface_endpoints=("sts",),
)
Network(
    "network",
    NetworkArgs(
        config=network,
        cluster_name="growing",
        location=Location(region="eu-west-1", account="123456789012"),
    ),
)
"""
SUBNET = "aws:ec2/subnet:Subnet"
GATEWAY = "aws:ec2/natGateway:NatGateway"


def ids(run: Pulumi, kind: str) -> dict[str, str]:
    """Ids of the living resources of a type, by name."""
    deployment: Mapping[str, Any] = json.loads(run("stack", "export").stdout)["deployment"]
    return {
        each["urn"].rpartition("::")[2]: each["id"]
        for each in deployment["resources"]
        if each["type"] == kind and not each.get("delete")
    }


@pytest.mark.behaviour("subnet-cidr-conflict")
def test_zones_come_and_go_and_every_other_subnet_stays(on_engine: Callable[[str], Pulumi]):
    run = on_engine(PROGRAM)

    def settle(**settings: str) -> None:
        for key, value in settings.items():
            run("config", "set", key, value)
        run("up", "--yes", "--skip-preview")
        run("preview", "--expect-no-changes")

    settle(zones="2", nat="single")
    first, gateways = ids(run, SUBNET), ids(run, GATEWAY)

    run("config", "set", "zones", "3")
    refused = run("preview", fails=True)
    assert "so set network.zonesAtCreation: 2." in refused.stdout + refused.stderr
    assert ids(run, SUBNET) == first

    settle(made="2", nat="perZone")
    three = ids(run, SUBNET)
    assert three.items() > first.items()
    assert {"network-private-3", "network-public-3"} == three.keys() - first.keys()
    assert ids(run, GATEWAY).items() > gateways.items()
    settle(zones="2", nat="none")
    assert ids(run, SUBNET) == first

    # By name, in the order in which AWS lists them, so nothing moves; in another order all would.
    run("config", "set", "names", "eu-west-1a,eu-west-1b")
    run("preview", "--expect-no-changes")
    run("config", "set", "names", "eu-west-1b,eu-west-1a")
    refused = run("preview", fails=True)
    assert "lies in another zone" in refused.stdout + refused.stderr

    run("destroy", "--yes", "--skip-preview")
