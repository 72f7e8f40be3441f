"""The edges of the shipped stacks against the aims, with AWS's seconds: no clock, no AWS."""

import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

from rehearsal.bench import critical_path
from rehearsal.bench.report import Paths, paths

ROOT = Path(__file__).parents[3]
NODELESS = ROOT / "stacks" / "Pulumi.nodeless.yaml"


def exported(deployment: Any) -> dict[str, Any]:
    """What the mocks recorded, as `pulumi stack export` would print it."""
    rows: list[dict[str, Any]] = []
    for urn, inputs, request in deployment.declared:
        rows.append(
            {
                "urn": urn,
                "type": request.type,
                "custom": request.custom and request.type != "eks:index:Cluster",
                "parent": request.parent,
                "provider": request.provider,
                "dependencies": list(request.dependencies),
                "propertyDependencies": {
                    key: list(value.urns) for key, value in request.propertyDependencies.items()
                },
                "inputs": inputs,
            }
        )
        if request.type == "eks:index:Cluster":  # the mocks do not make the component's child
            child = {"type": "aws:eks/cluster:Cluster", "custom": True, "parent": urn}
            name = urn.rpartition("::")[2]
            rows.append(child | {"urn": f"{urn.rpartition('::')[0]}$child::{name}"})
    return {"deployment": {"resources": rows}}


def program() -> None:
    runpy.run_path(str(ROOT / "__main__.py"))


@pytest.fixture
def nodeless(deploy, account) -> Paths:
    settings = yaml.safe_load(NODELESS.read_text())["config"]
    return paths(exported(deploy(program, account, settings=settings)))


def types(steps: list[critical_path.PathStep]) -> list[str]:
    return [step.resource.type.rpartition(":")[2] for step in steps]


def test_create_stays_within_its_aim_and_nothing_but_the_way_to_the_node_is_on_it(nodeless):
    aims = nodeless.durations.aims()

    assert critical_path.total(nodeless.first_pod) <= aims.create * aims.create_ratio
    way = ["Cluster", "FargateProfile", "Release", "EC2NodeClass", "NodePool"]
    assert [kind for kind in types(nodeless.first_pod) if kind in way] == way
    assert not {"NatGateway", "Addon", "Queue"} & set(types(nodeless.first_pod))


def test_no_add_on_makes_the_way_to_the_first_pod_longer(deploy, account, nodeless):
    settings = yaml.safe_load(NODELESS.read_text())["config"]
    for section in ("addons", "overprovisioning"):
        del settings[f"frugal-eks:{section}"]
    bare = paths(exported(deploy(program, account, settings=settings)))

    assert critical_path.total(nodeless.first_pod) == critical_path.total(bare.first_pod)


def test_destroy_stays_within_its_aim(nodeless):
    """The bound knows no load balancer: what AWS takes for one comes on top."""
    aims = nodeless.durations.aims()
    balancers = [s for s in nodeless.destroy if s.resource.type == "kubernetes:core/v1:Service"]

    assert len(balancers) <= 1
    within = aims.destroy * aims.destroy_ratio + sum(step.seconds for step in balancers)
    assert critical_path.total(nodeless.destroy) <= within


def test_destroy_stays_within_its_aim_without_a_load_balancer(deploy, account):
    settings = yaml.safe_load(NODELESS.read_text())["config"]
    del settings["frugal-eks:addons"]["kubeOpsView"]
    stack = paths(exported(deploy(program, account, settings=settings)))
    aims = stack.durations.aims()

    assert critical_path.total(stack.destroy) <= aims.destroy * aims.destroy_ratio


def test_the_seconds_of_every_type_of_the_stack_are_known(nodeless):
    assert nodeless.durations.assumed == set()
