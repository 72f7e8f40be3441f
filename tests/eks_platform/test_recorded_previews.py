"""What the program declares is what the engine showed of each shipped stack.

A change of structure must leave this green. A change of what is declared is recorded anew
(tests/frugal_eks/plans/previews/recorded.py), and the recording's difference is read in the review.
"""

import json
import runpy
from typing import Any, NamedTuple

import pytest

from rehearsal.recording import Deployment
from rehearsal.recording.account import account_of
from tests.conftest import ROOT
from tests.eks_platform.agreeing import agrees
from tests.frugal_eks.plans.previews import recorded

OF_THE_ENGINE = {"pulumi:pulumi:Stack"}
OF_EKS_CLUSTER = {
    ("aws:eks/cluster:Cluster", "cluster-eksCluster"),
    ("pulumi:providers:kubernetes", "cluster-eks-k8s"),
}
"""What the component of pulumi-eks makes, which does not run without the engine."""

COMPONENT_OF_EKS = "eks:index:Cluster"
"""The engine shows no inputs of a component that a plugin makes."""
ANSWERED = {
    ("external-dns", "values"),
    ("external-dns-role-policy", "policy"),
    ("ng-spot", "imageId"),
}
"""Inputs with ids of a zone or image, which the played AWS made up when it was recorded."""

Key = tuple[str, str]
"""Type and name of a resource: no two are alike in a stack."""


class Resource(NamedTuple):
    """What a structure can get wrong about a resource."""

    inputs: dict[str, Any]
    parent: Key | None
    needs: set[Key]


def key(urn: str) -> Key:
    """The type and name in a URN."""
    _, _, types, name = urn.split("::", 3)
    of = types.rpartition("$")[2]
    return of, "" if of in OF_THE_ENGINE else name  # the stack's own name has the stack's


def shown(stack: str) -> dict[Key, Resource]:
    """All that the engine would create, as it printed it."""
    text = recorded.text(f"{stack}-create").replace('"charts/', '"/charts/')
    steps = json.loads(text)["steps"]
    states = [step["newState"] for step in steps if step["newState"]["type"] not in OF_THE_ENGINE]
    return {
        key(state["urn"]): Resource(
            inputs=state.get("inputs", {}),
            parent=key(state["parent"]) if state.get("parent") else None,
            needs={key(urn) for urn in state.get("dependencies", [])} - OF_EKS_CLUSTER,
        )
        for state in states
    }


def main() -> None:
    runpy.run_path(str(ROOT / "__main__.py"))


def declared(deployment: Deployment) -> dict[Key, Resource]:
    """All that the program asks the engine for."""
    return {
        key(each.urn): Resource(
            inputs=each.inputs,
            parent=key(each.request.parent) if each.request.parent else None,
            needs={key(urn) for urn in each.request.dependencies},
        )
        for each in deployment.declared
    }


@pytest.mark.parametrize("stack", ["nodeless", "spot", "consolidation"])
def test_the_program_declares_what_the_engine_showed(stack, stack_file, deploy):
    # The engine read charts from a folder.
    settings = stack_file(stack) | {"frugal-eks:chartMirror": "/charts"}
    account = account_of(settings["aws:region"], settings["frugal-eks:cluster"]["admins"][0])
    deployment = deploy(main, account, settings=settings, preview=True)
    recording, program = shown(stack), declared(deployment)

    assert recording.keys() - program.keys() == OF_EKS_CLUSTER
    assert program.keys() <= recording.keys()
    # The provider adds defaults and names.
    assert {
        name: (part, ours.inputs.get(part), recording[name].inputs.get(part))
        for name, ours in program.items()
        if name[0] != COMPONENT_OF_EKS
        for part in ours.inputs
        if (name[1], part) not in ANSWERED
        and not agrees(ours.inputs[part], recording[name].inputs.get(part), more=True)
    } == {}
    assert {name: ours.parent for name, ours in program.items()} == {
        name: theirs.parent for name, theirs in recording.items() if name in program
    }
    assert {
        name: ours.needs ^ recording[name].needs
        for name, ours in program.items()
        if ours.needs != recording[name].needs
    } == {}
