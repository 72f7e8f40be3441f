"""Rules about versions that are not pinned."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from frugal_eks.plans.policy.reading import Object, dig, each, is_unknown, objects
from frugal_eks.plans.policy.rule import ResourceRule, Settings
from frugal_eks.plans.policy.rules.access import CLUSTER
from frugal_eks.plans.previews import Resource

_EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+][\w.+-]+)?")
"""An exact chart version, not a range."""
_PINNED_PARAMETER = re.compile(r"resolve:ssm:[^:]+:\d+")
_CHARTS = {"kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart"}
_PATTERNS = "*?"
"""Wildcards; in an image name they match later images too."""


def _chart(resource: Resource, _settings: Settings) -> Iterator[str]:
    chart, version = resource.inputs.get("chart"), resource.inputs.get("version")
    if resource.type not in _CHARTS or is_unknown(version) or _holds_still(chart):
        return
    if not version:
        yield f"version of chart {chart} is absent"
    elif not _EXACT.fullmatch(str(version)):
        yield f"version of chart {chart} is a range: {version}"


def _holds_still(chart: object) -> bool:
    """True if a chart is a local file or folder, or referred to by digest."""
    text = str(chart)
    local = text.startswith(("/", ".")) or text.endswith((".tgz", ".tar.gz"))
    return is_unknown(chart) or "@sha256:" in text or (local and "://" not in text)


def _ami(resource: Resource, _settings: Settings) -> Iterator[str]:
    inputs = resource.inputs
    match resource.type:
        case "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass":
            for index, term in enumerate(objects(dig(inputs, "spec.amiSelectorTerms"))):
                for problem in _term(term):
                    yield f"spec.amiSelectorTerms[{index}] {problem}"
        case "aws:ec2/launchTemplate:LaunchTemplate":
            image = str(inputs.get("imageId"))
            if image.startswith("resolve:ssm:") and not _PINNED_PARAMETER.fullmatch(image):
                yield f"imageId is {image}, without the parameter's version"
        case "aws:eks/nodeGroup:NodeGroup":
            # With an image in its launch template a group names no type of AMI.
            own = inputs.get("launchTemplate") and not inputs.get("amiType")
            own = own or inputs.get("amiType") == "CUSTOM"
            if not own and not inputs.get("releaseVersion"):
                yield "releaseVersion is absent"
        case _:
            return


def _term(term: Object) -> Iterator[str]:
    alias, name = str(term.get("alias", "")), str(term.get("name", ""))
    if alias.endswith("@latest"):
        yield f"has alias {alias}"
    if any(sign in name for sign in _PATTERNS):
        yield f"has name {name}, which later images match too"
    elif not {"alias", "name", "id"} & set(term):
        yield f"selects by {', '.join(sorted(term)) or 'nothing'} alone"


def _image(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type in _CHARTS:
        yield from _latest(resource.inputs.get("values"), "values")
        return
    if not resource.type.startswith("kubernetes:"):
        return
    for path in ("spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec"):
        yield from _containers(resource.inputs, path)
    # A PodTemplate has no spec around its template.
    yield from _containers(resource.inputs, "template.spec")


def _containers(inputs: Mapping[str, Any], path: str) -> Iterator[str]:
    for kind in ("initContainers", "containers"):
        for container in objects(dig(inputs, f"{path}.{kind}")):
            image = container.get("image")
            if isinstance(image, str) and not is_unknown(image) and _moves(image):
                yield f"image of container {container.get('name')} is {image}"


def _latest(values: object, path: str) -> Iterator[str]:
    """Problems of the images in a chart's `values`; an image without a tag uses the chart's own."""
    if not isinstance(values, Mapping):
        listed = [*each(values)] if isinstance(values, list) else []  # pyright: ignore[reportUnknownArgumentType]
        for index, value in enumerate(listed):
            yield from _latest(value, f"{path}[{index}]")
        return
    for key, value in sorted(cast(Object, values).items()):
        here = f"{path}.{key}"
        moves = key == "image" and isinstance(value, str) and value.endswith(":latest")
        if moves or (key == "tag" and value == "latest"):
            yield f"{here} is {value}"
        yield from _latest(value, here)


def _moves(image: str) -> bool:
    if "@sha256:" in image:
        return False
    # A colon before the last slash belongs to the registry's port.
    _, colon, tag = image.rpartition("/")[2].partition(":")
    return not colon or tag == "latest"


def _addon(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type == "aws:eks/addon:Addon" and not resource.inputs.get("addonVersion"):
        yield f"addonVersion of {resource.inputs.get('addonName')} is absent"


def _kubernetes(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type == CLUSTER and not resource.inputs.get("version"):
        yield "version is absent"


_PIN = "write the version that was tried"

RULES = (
    ResourceRule(
        name="unpinned-chart",
        level="mandatory",
        reason="A chart without a version is a different one tomorrow, in a change about something "
        "else.",
        remedy=f"{_PIN}, for example 1.14.1",
        check=_chart,
    ),
    ResourceRule(
        name="unpinned-ami",
        level="mandatory",
        reason="An image that moves replaces nodes when AWS publishes one, not when you decide.",
        remedy="name one image: `amiAlias: al2023@v20260930`, an id, or a `releaseVersion`",
        check=_ami,
    ),
    ResourceRule(
        name="unpinned-image",
        level="mandatory",
        reason="Pods of one Deployment run different programs when their image's tag moves.",
        remedy="name a tag that stays, or a digest",
        check=_image,
    ),
    ResourceRule(
        name="unpinned-addon",
        level="mandatory",
        reason="EKS installs what is its default that day, and what was tried is another version.",
        remedy=_PIN,
        check=_addon,
    ),
    ResourceRule(
        name="unpinned-kubernetes",
        level="mandatory",
        reason="EKS takes its newest default, which add-ons and nodes may not go with.",
        remedy=_PIN,
        check=_kubernetes,
    ),
)
