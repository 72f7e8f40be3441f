"""Finds changes that replace running nodes."""

from collections.abc import Iterator, Mapping
from typing import Any

from components.karpenter.drift import TABLES, rolling
from frugal_eks.plans.json_values import mapping, texts
from frugal_eks.plans.previews import UNKNOWN, Change, Preview
from frugal_eks.plans.previews.markdown import codes
from frugal_eks.plans.review.differences import differences
from frugal_eks.plans.review.risk import Concern, Risk, changed

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
GROUP = "aws:autoscaling/group:Group"

# What a launch template says of itself; all else of it says what instances are.
_OF_THE_TEMPLATE = {
    "name",
    "namePrefix",
    "description",
    "tags",
    "tagsAll",
    "defaultVersion",
    "updateDefaultVersion",
    "disableApiTermination",
    "disableApiStop",
}
# EKS replaces the nodes of a managed group for these, one after the other; all else but labels,
# taints, the size and the update's own settings replaces the group.
_OF_MANAGED = ("version", "releaseVersion", "launchTemplate")
_OF_A_GROUP = ("launchTemplate", "launchConfiguration", "mixedInstancesPolicy")
# What an instance refresh may be told to start for as well.
_TRIGGERS = {"tag": "tags"}


def find(preview: Preview) -> Iterator[Risk]:
    """Updates that replace nodes step by step; replacements and deletions of whole groups are found
    elsewhere.
    """
    for change in changed(preview):
        if change.operation == "update" and (text := _text(change, preview)):
            yield Risk(Concern.NODES, change, text)
        elif change.operation == "replace" and change.type == TEMPLATE:
            yield Risk(Concern.NODES, change, _template(change, preview, ["id"]))


def _text(change: Change, preview: Preview) -> str:
    paths = [difference.path for difference in differences(change)]
    text = ""
    if change.type.rpartition(":")[2] in TABLES:
        text = _karpenter(change, paths)
    elif change.type == TEMPLATE:
        own = [path for path in paths if _top(path) not in _OF_THE_TEMPLATE]
        text = _template(change, preview, own) if own else ""
    elif change.type == MANAGED:
        rolled = [path for path in paths if _top(path) in _OF_MANAGED]
        text = (
            f"has its nodes replaced one after the other by EKS: {codes(rolled)}" if rolled else ""
        )
    elif change.type == GROUP:
        text = _group(change, paths)
    return text


def _karpenter(change: Change, paths: list[str]) -> str:
    rolled: dict[str, list[str]] = {}
    for path in paths:
        try:
            what = rolling(change.type, [path])
        except LookupError:
            what = "may replace nodes of it: the field is not known here"
        if what:
            rolled.setdefault(what, []).append(path)
    return "; ".join(f"{what}: {codes(fields)}" for what, fields in rolled.items())


def _template(change: Change, preview: Preview, paths: list[str]) -> str:
    users = [
        user
        for user in preview.changes
        if user.new and user.type in {MANAGED, GROUP} and change.urn in user.new.dependencies
    ]
    followed = [user.name for user in users if user.type == MANAGED or _refreshes(user)]
    others = [user.name for user in users if user.name not in followed]
    text = f"changes what its instances are made of: {codes(paths)}"
    if followed:
        text += f"; the nodes of {codes(followed)} are replaced for it"
    if others:
        text += f"; those of {codes(others)} stay until something else replaces them"
    return text


def _group(change: Change, paths: list[str]) -> str:
    tops = {
        *_OF_A_GROUP,
        *(_TRIGGERS.get(name, name) for name in texts(_refresh(change).get("triggers"))),
    }
    rolled = [path for path in paths if _top(path) in tops]
    # The distribution says only what comes next, and the refresh starts for it all the same.
    if not rolled or not _refreshes(change):
        return ""
    return f"has its nodes replaced by an instance refresh: {codes(rolled)}"


def _refresh(change: Change) -> Mapping[str, Any]:
    refresh = change.new.inputs.get("instanceRefresh") if change.new else None
    return {"strategy": UNKNOWN} if refresh == UNKNOWN else mapping(refresh)


def _refreshes(change: Change) -> bool:
    return bool(_refresh(change))


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
