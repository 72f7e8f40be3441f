"""Finds version jumps: backwards, to another major version, or past what upstream supports at
once.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.previews.markdown import code
from frugal_eks.plans.review.differences import at, compare
from frugal_eks.plans.review.risk import Concern, Risk, changed

_VERSION = re.compile(r"[vV]?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?![\d.])")
_IMAGE = re.compile(r"(?P<name>[^@\s]+?):(?P<tag>[\w.-]+)(?:@\S+)?", re.ASCII)
_KUBERNETES = "Kubernetes"


@dataclass(frozen=True)
class Pin:
    """A property that holds a version."""

    path: str
    what: str
    minors: bool = True
    """True if a change of minor version counts as a risk."""


TYPES: Mapping[str, tuple[Pin, ...]] = {
    "aws:eks/cluster:Cluster": (Pin("version", _KUBERNETES),),
    "aws:eks/nodeGroup:NodeGroup": (Pin("version", _KUBERNETES),),
    "aws:eks/addon:Addon": (Pin("addonVersion", "the add-on"),),
    "kubernetes:helm.sh/v3:Release": (Pin("version", "the chart"),),
    "gcp:container/cluster:Cluster": (Pin("minMasterVersion", _KUBERNETES),),
}
_OTHERS = (
    Pin("version", "it", minors=False),
    Pin("engineVersion", "the engine", minors=False),
    Pin("kubernetesVersion", _KUBERNETES),
    Pin("kafkaVersion", "Kafka", minors=False),
)
"""Version properties of every other type."""
_ADVICE = {
    _KUBERNETES: ": deprecated APIs first, and EKS never goes back",
    "karpenter": ": read its upgrade guide, CRDs included",
}


def find(preview: Preview) -> Iterator[Risk]:
    """Risks of versions that are known on both sides."""
    for change in changed(preview):
        if change.old and change.new:
            texts = [*_pins(change), *_images(change)]
            yield from (Risk(Concern.VERSIONS, change, text) for text in texts)


def _pins(change: Change) -> Iterator[str]:
    assert change.old
    assert change.new
    for pin in TYPES.get(change.type, _OTHERS):
        old, new = (at(side.inputs, pin.path) for side in (change.old, change.new))
        chart = _chart(change.new.inputs.get("chart"))
        distance = jump(old, new, minors=pin.minors, one_by_one=pin.what == _KUBERNETES)
        if distance:
            what = f"the chart {code(chart)}" if chart else pin.what
            advice = _ADVICE.get(chart.removesuffix("-crd") or pin.what, "")
            yield f"takes {what} from {code(str(old))} to {code(str(new))}, {distance}{advice}"


def _images(change: Change) -> Iterator[str]:
    assert change.old
    assert change.new
    if not change.type.startswith("kubernetes:"):
        return
    for difference in compare(change.old.inputs, change.new.inputs):
        if not difference.path.endswith("image"):
            continue
        old, new = (_IMAGE.fullmatch(str(side)) for side in (difference.old, difference.new))
        if old and new and old["name"] == new["name"]:
            distance = jump(old["tag"], new["tag"], minors=False)
            tags = f"from {code(old['tag'])} to {code(new['tag'])}"
            if distance:
                yield f"takes the image {code(old['name'])} {tags}, {distance}"


def jump(old: Any, new: Any, *, minors: bool = True, one_by_one: bool = False) -> str:
    """Distance between two versions in words; empty if it is no risk, or unknown."""
    was, now = _parsed(old), _parsed(new)
    if not was or not now or was == now:
        return ""
    if now < was:
        return "which is back"
    if now[0] != was[0]:
        return "another major version"
    minor = now[1] - was[1]
    if one_by_one and minor > 1:
        return f"{minor} minor versions at once: it takes one at a time"
    if minor and was[0] == 0:
        return "another minor version before 1.0, which may break"
    return "another minor version" if minor and minors else ""


def _parsed(value: Any) -> tuple[int, int, int] | None:
    match = _VERSION.match(value) if isinstance(value, str) else None
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def _chart(value: Any) -> str:
    """Name of a chart, also from a URL or a folder."""
    return value.rstrip("/").rpartition("/")[2] if isinstance(value, str) else ""
