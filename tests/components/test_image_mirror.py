"""imageMirror: each image of each pod that the program asks for comes from the mirror."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from components.addons.user_values import merged

MIRROR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror"
RELEASE = "kubernetes:helm.sh/v3:Release"
ON = {"imageMirror": MIRROR, "sampleWorkloads": {"inflate": {}, "ecsdemo": {}}}
ADDONS = {
    "awsLoadBalancerController": {},
    "efsCsi": {},
    "externalDns": {"zones": ["example.com"]},
    "kubeOpsView": {},
    "metricsServer": {},
}
GROUPS = ("managedNodeGroups", "spotNodeGroups", "clusterAutoscaler")
NO_IMAGES = {"karpenter-crd"}
"""Charts that make no pods."""


def of_values(values: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Path and repository of each image that a chart takes, but for parts that are off."""
    if values.get("enabled") is False:
        return
    for key, value in values.items():
        if isinstance(value, dict):
            yield from of_values(value, f"{path}.{key}")
        elif key == "repository" and path.lower().endswith("image") and value:
            yield path, value


def of_pods(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Path and image of each container in a manifest."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        if key == "image":
            yield path, child
        elif isinstance(child, dict | list):
            yield from of_pods(child, f"{path}.{key}")


@pytest.fixture
def images(platform, upstream_values):
    """All images of a platform, by the workload's name and the path in it."""

    def of(changes: Mapping[str, Any]) -> dict[str, str]:
        built = platform(changes)
        found: dict[str, str] = {}
        for release in built.every(RELEASE):
            chart = release.inputs["name"]
            if chart in NO_IMAGES:
                continue
            values = merged(upstream_values(chart), release.inputs["values"])
            repositories = dict(of_values(values, chart))
            assert repositories, f"{chart} names no image: look for where its pods get theirs"
            found |= repositories
        for each in built.declared:
            if each.request.type.startswith("kubernetes:") and each.request.type != RELEASE:
                found |= dict(of_pods(each.inputs, each.request.name))
        return found

    return of


def test_each_image_of_a_nodeless_platform_comes_from_the_mirror(images):
    found = images(ON | {"addons": ADDONS})

    assert {"karpenter.controller.image", "inflate.spec.template.spec.containers.0"} <= set(found)
    assert {path: image for path, image in found.items() if not image.startswith(MIRROR)} == {}


def test_each_image_of_a_platform_of_groups_comes_from_the_mirror(images, stack_file):
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("spot").items()}
    absent = dict.fromkeys(["fargate", "karpenter", "overprovisioning"])
    found = images(absent | shipped | ON)

    assert {"cluster-autoscaler.image", "aws-node-termination-handler.image"} <= set(found)
    assert {path: image for path, image in found.items() if not image.startswith(MIRROR)} == {}
