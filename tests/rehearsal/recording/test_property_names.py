"""The engine that records: what it refuses, so that no test takes a mistake for an input."""

import pulumi
import pytest

from components.kubernetes.kubernetes_object import KubernetesObject
from rehearsal.recording.computed import COMPUTED
from rehearsal.recording.property_names import property_names


def declared(kind, inputs):
    return lambda: pulumi.CustomResource(kind, "it", inputs)


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("aws:ec2/vpc:Vpc", {"cidrBlok": "10.0.0.0/16"}),
        ("eks:index:Cluster", {"name": "dev", "bootstrapSelfManagedAddon": False}),
        ("kubernetes:helm.sh/v3:Release", {"chart": "c", "vaules": {}}),
    ],
)
def test_an_input_that_the_sdk_s_class_lacks_is_refused(deploy, kind, inputs):
    name = [*inputs][-1]

    with pytest.raises(LookupError, match=rf"^{kind} it: the SDK has no {name}$"):
        deploy(declared(kind, inputs))


def test_a_manifest_has_the_fields_of_its_kind(deploy):
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadta": {"name": "a"}}

    with pytest.raises(LookupError, match=r"the SDK has no metadta$"):
        deploy(lambda: KubernetesObject("it", manifest))


def test_only_kinds_that_no_sdk_has_are_not_looked_up():
    unknown = {kind for kind in COMPUTED if property_names(kind) is None}

    assert {kind.rpartition(":")[2] for kind in unknown} == {
        "kubernetes",  # the provider
        "CapacityBuffer",
        "EC2NodeClass",
        "NodePool",
    }
