"""Checks that AWS has published the node image releases that the stack file pins."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from components.ec2.image_families import AmiType, architecture_of, family_of
from components.ec2.image_releases import ImageFamily, ImageSeries
from frugal_eks.plans.cost.groups import MANAGED
from frugal_eks.plans.cost.pools import NODE_CLASS
from frugal_eks.plans.cost.program import objects, part
from frugal_eks.preflight.findings import Finding, fails, ok
from frugal_eks.preflight.situation import Situation
from frugal_eks.preflight.stack import IMAGES, PARAMETERS

_ALIAS = re.compile(r"(?P<family>al2|al2023|bottlerocket)@v?(?P<build>\d.*)")


@dataclass
class _Pin:
    """A node image release that the stack pins."""

    series: ImageSeries
    build: str
    whose: list[str] = field(default_factory=list[str])
    release: str = ""
    """Release as a managed group takes it; "" if no group states it in full."""

    @property
    def path(self) -> str:
        """Parameter Store path of the release."""
        return self.series.release_path(self.build)


def images(situation: Situation) -> Iterator[Finding]:
    """Checks each pin against Parameter Store, and the program's own look-ups."""
    pins = _pins(situation)
    for path, pin in pins.items():
        parameters = situation.account.listed(
            "ssm", "get_parameters_by_path", "Parameters", Path=path
        )
        yield _judged(pin, {each["Name"]: each["Value"] for each in parameters})
    for each in situation.stack.look_ups:
        if each.token == PARAMETERS and each.query["path"] not in pins:
            check = f"node image {each.query['path'].rpartition('/')[2]}"
            yield _unpublished(check, "") if each.problem else ok(check, "published")
        if each.token == IMAGES and each.problem:
            name = ", ".join(
                value
                for image_filter in objects(each.query, "filters")
                for value in image_filter["values"]
            )
            yield fails("Amazon Linux image", f"Amazon has no {name}", "take a later release")


def _judged(pin: _Pin, parameters: Mapping[str, str]) -> Finding:
    check, whose = f"node image {pin.path.rpartition('/')[2]}", ", ".join(pin.whose)
    if not parameters:
        series = pin.series
        listing = f" --kubernetes {series.kubernetes} --family {series.family}"
        return _unpublished(check, whose, listing)
    real = parameters.get(f"{pin.path}/{pin.series.release_parameter}", pin.release)
    if pin.release and real != pin.release:
        return fails(
            check,
            f"{pin.release} of {whose} was never published, {real} was",
            f"set releaseVersion: {real}",
        )
    return ok(check, f"published; of {whose}")


def _unpublished(check: str, whose: str, listing: str = "") -> Finding:
    of = f", which {whose} pins" if whose else ""
    problem = f"AWS has published no such image in this region{of}"
    return fails(check, problem, f"pin one of the releases of `./frugal-eks images{listing}`")


def _pins(situation: Situation) -> Mapping[str, _Pin]:
    """Pins by their path in Parameter Store."""
    pins: dict[str, _Pin] = {}
    for group in situation.program.of_type(MANAGED):
        kind, release = group.inputs.get("amiType"), group.inputs.get("releaseVersion")
        minor = _minor(situation, group.inputs)
        if isinstance(release, str) and minor and kind in get_args(AmiType):
            ami_type = cast(AmiType, kind)
            series = ImageSeries(
                family=family_of(ami_type),
                architecture=architecture_of(ami_type),
                kubernetes=minor,
            )
            new = _Pin(series, series.build_of(release))
            pin = pins.setdefault(new.path, new)
            pin.whose.append(f"the node group {group.name}")
            pin.release = release
    for node_class in situation.program.of_type(NODE_CLASS):
        name = part(node_class.inputs, "metadata").get("name")
        for term in objects(part(node_class.inputs, "spec"), "amiSelectorTerms"):
            alias, minor = _ALIAS.fullmatch(str(term.get("alias", ""))), _minor(situation, {})
            if alias and minor:
                # Of x86: which architectures its pools need, the program looks up itself.
                series = ImageSeries(
                    family=cast(ImageFamily, alias["family"]),
                    architecture="x86_64",
                    kubernetes=minor,
                )
                new = _Pin(series, alias["build"])
                pins.setdefault(new.path, new).whose.append(f"the node class {name}")
    return pins


def _minor(situation: Situation, inputs: Mapping[str, Any]) -> str:
    cluster = situation.new_cluster
    return cluster.version if cluster else str(inputs.get("version") or "")
