import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from components import versions
from components.addons.user_values import folder
from rehearsal import charts
from rehearsal.charts.placeholders import Placeholder

UPSTREAM = Path(__file__).parents[1] / "data" / "charts"
PINNED = {
    "karpenter": versions.KARPENTER,
    "karpenter-crd": versions.KARPENTER,
    "aws-load-balancer-controller": versions.AWS_LOAD_BALANCER_CONTROLLER_CHART,
    "external-dns": versions.EXTERNAL_DNS_CHART,
    "cluster-autoscaler": versions.CLUSTER_AUTOSCALER_CHART,
    "metrics-server": versions.METRICS_SERVER_CHART,
    "kube-ops-view": versions.KUBE_OPS_VIEW_CHART,
    "aws-efs-csi-driver": versions.EFS_CSI_CHART,
    "aws-node-termination-handler": versions.NODE_TERMINATION_HANDLER_CHART,
}
OWN = {
    # Upstream's file has those of another release.
    "karpenter": ["controller.image.digest", "controller.image.tag"],
    # Of the library chart that upstream's inherits from.
    "kube-ops-view": ["controller", "service.main.type"],
}
"""Where a stand-in says something of its own."""


def test_every_chart_is_of_the_pinned_version(assembled):
    for name, version in PINNED.items():
        chart = yaml.safe_load((assembled / name / "Chart.yaml").read_text())
        assert (chart["name"], chart["version"]) == (name, version)
    assert set(charts.CHARTS) == set(PINNED)


def differences(ours, theirs, path=""):
    """Paths at which our values are not theirs; a key of our own without a value is no matter."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(set(ours) | set(theirs)):
            if key not in theirs:
                if ours[key] not in (None, "", [], {}):
                    yield f"{path}{key}"
            elif key not in ours:
                yield f"{path}{key} is missing"
            else:
                yield from differences(ours[key], theirs[key], f"{path}{key}.")
    elif ours != theirs:
        yield path.rstrip(".")


@pytest.mark.parametrize("name", sorted(set(PINNED) - {"karpenter-crd"}))
def test_keys_and_defaults_are_upstreams(assembled, name):
    ours = yaml.safe_load((assembled / name / "values.yaml").read_text())
    upstream = (UPSTREAM / name if name == "karpenter" else folder(name)) / "values.yaml"
    upstream = yaml.safe_load(upstream.read_text())

    assert list(differences(ours, upstream)) == OWN.get(name, [])


@pytest.mark.parametrize("name", sorted(PINNED))
def test_no_chart_takes_a_key_that_upstream_has_not(assembled, name):
    schema = json.loads((assembled / name / "values.schema.json").read_text())

    jsonschema.validate({}, schema)
    with pytest.raises(jsonschema.ValidationError, match="'nodeSelectors' was unexpected"):
        jsonschema.validate({"nodeSelectors": {}}, schema)


def test_both_charts_carry_the_five_crds_of_the_project(assembled):
    crds = charts.crds()

    assert len(crds) == len("five!")
    for file, text in crds.items():
        assert (assembled / "karpenter" / "crds" / file).read_text() == text
        assert (assembled / "karpenter-crd" / "templates" / file).exists()


def test_assembling_again_leaves_nothing_of_the_time_before(tmp_path):
    charts.assemble(tmp_path, [Placeholder("mine", "podinfo", "6.9.0")])
    (tmp_path / "karpenter" / "templates" / "old.yaml").write_text("")
    charts.assemble(tmp_path)

    assert not (tmp_path / "karpenter" / "templates" / "old.yaml").exists()
    assert {folder.name for folder in tmp_path.iterdir()} == set(charts.CHARTS)


@pytest.mark.parametrize(
    ("values", "mistake"),
    [
        ({"settings": {"interruptionQueueName": "q"}}, "'interruptionQueueName' was unexpected"),
        ({"replica": 1}, "'replica' was unexpected"),
        ({"settings": {"featureGates": {"drift": True}}}, "'drift' was unexpected"),
        ({"controller": {"image": {"name": "x"}}}, "'name' was unexpected"),
        ({"controller": {"securityContext": {"uid": 1}}}, "'uid' was unexpected"),
        ({"tolerations": {}}, "{} is not of type 'array'"),
    ],
)
def test_values_that_upstream_has_no_key_for_are_refused(assembled, values, mistake):
    schema = json.loads((assembled / "karpenter" / "values.schema.json").read_text())

    with pytest.raises(jsonschema.ValidationError) as error:
        jsonschema.validate(values, schema)
    assert mistake in error.value.message


@pytest.mark.parametrize(
    "values",
    [
        {"nodeSelector": {"lifecycle": "OnDemand"}, "podLabels": {"a": "b"}},
        {"controller": {"resources": {"limits": {"cpu": 1}}, "env": [{"name": "A"}]}},
        {"affinity": {"podAffinity": {}}, "initContainers": [{"name": "a"}]},
        {"settings": {"vmMemoryOverheadPercent": 0, "reservedENIs": 1}},
        {"terminationGracePeriodSeconds": 30, "serviceAccount": {"annotations": {"a": "b"}}},
    ],
)
def test_values_of_kubernetes_types_are_free(assembled, values):
    schema = json.loads((assembled / "karpenter" / "values.schema.json").read_text())

    jsonschema.validate(values, schema)
