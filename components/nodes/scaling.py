"""The current size of a managed node group, which matters if an autoscaler sets the size."""

import re
from typing import NamedTuple

import pulumi
import pulumi_aws as aws

from .nodes import SizeConfig

_SUFFIXES = r"(-[0-9a-f]{7})?-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""Suffixes that Pulumi adds to the group's key, and EKS to that name for its Auto Scaling group."""


class Scaling(NamedTuple):
    """The desired size to send for a managed node group."""

    desired: int
    keeps_desired: bool
    """True if the number that an earlier run sent is kept, because min and max do not change."""


class _Size(NamedTuple):
    min: int
    max: int
    desired: int


def scaling(cluster: str, key: str, size: SizeConfig, opts: pulumi.InvokeOptions) -> Scaling:
    """The desired size to send, from the group's current size in AWS if the group exists.

    EKS takes min, max and desired together, and the provider sends all three when one changes. An
    ignored `desired` would be that of the first run: refused if it lies outside the new min and
    max, and otherwise a step back to it. So it is ignored only while min and max stay.
    """
    now = _size_now(cluster, key, opts)
    if now is None:
        return Scaling(size.initial, keeps_desired=True)
    desired = min(max(now.desired, size.min), size.max)
    return Scaling(desired, keeps_desired=(now.min, now.max) == (size.min, size.max))


def _size_now(cluster: str, key: str, opts: pulumi.InvokeOptions) -> _Size | None:
    # Its own name would be an output, and what is ignored has to be known before. No group is no
    # error, unlike with eks.get_node_group. The function lists groups, whatever it is called.
    names = aws.autoscaling.get_ami_ids(
        filters=[{"name": "tag:eks:cluster-name", "values": [cluster]}], opts=opts
    ).names
    own = re.compile(f"eks-{re.escape(key)}{_SUFFIXES}")
    groups = [
        aws.autoscaling.get_group(name=name, opts=opts) for name in names if own.fullmatch(name)
    ]
    # Two where an update was broken off between the new group and the end of the old one.
    sizes = [_Size(each.min_size, each.max_size, each.desired_capacity) for each in groups]
    return max(sizes, key=lambda each: each.desired, default=None)
