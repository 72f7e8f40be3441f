"""The API server takes every object of the stand-ins, and knows every field of them."""

import subprocess
from itertools import product

import pytest
import yaml

from components.addons.addon_config import NAMESPACE
from components.placement import RunsOn
from rehearsal import control_plane, toolchain
from rehearsal.aws.eks_service.addon_manifests import Installation, objects_of
from rehearsal.processes import Processes
from rehearsal.state import State
from tests.components.addons.programs import CHARTS

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory):
    tools = toolchain.ensure([*toolchain.CLUSTER, "kubectl"])
    state = State(tmp_path_factory.mktemp("charts") / "state")
    state.create()

    def run(*arguments, text=None):
        command = [tools["kubectl"], "--kubeconfig", state.kubeconfig, *arguments]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    try:
        control_plane.start(state, tools)
        yield run
    finally:
        Processes(state).stop()


@pytest.fixture(scope="module")
def refused(kubectl, assembled):
    """What the API server says against objects; nothing if it would take them all."""
    for folder in sorted(assembled.glob("*/crds")):
        assert kubectl("apply", "-f", str(folder)).stderr == ""
    kubectl("wait", "--for=condition=established", "--timeout=30s", "crd", "--all")

    def run(objects):
        strictly = ["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"]
        return kubectl(*strictly, text=yaml.safe_dump_all(objects)).stderr

    return run


@pytest.mark.parametrize(
    ("addon", "runs_on"),
    list(product(CHARTS, RunsOn)),
    ids=lambda each: each.section.__name__ if hasattr(each, "section") else each.value,
)
def test_what_the_components_values_make_is_taken(render, refused, addon, runs_on):
    values = addon.values(runs_on, **addon.more)
    objects = render(addon.section.CHART_NAME, values, NAMESPACE)

    assert refused(objects.values()) == ""


def test_a_field_that_kubernetes_does_not_know_is_seen(render, refused):
    (service,) = (
        one for (kind, _), one in render("kube-ops-view", {}).items() if kind == "Service"
    )

    assert ".spec.ports_: field not declared in schema" in refused(
        [service | {"spec": {"ports_": []}}]
    )


def test_what_the_ebs_addon_makes_is_taken(refused):
    role = "arn:aws:iam::111122223333:role/ebs"
    wanted = Installation(region="eu-west-1", version="v1.66.0", role_arn=role, values={})

    assert refused(objects_of("aws-ebs-csi-driver", wanted)) == ""
