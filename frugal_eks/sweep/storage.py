"""Finds and removes volumes and log groups, which hold data."""

from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.sweep.account import Account
from frugal_eks.sweep.compute import named, node_disks
from frugal_eks.sweep.things import FREE, Thing

GIB_MONTH = {
    "gp3": 0.08,
    "gp2": 0.10,
    "io1": 0.125,
    "io2": 0.125,
    "st1": 0.045,
    "sc1": 0.015,
    "standard": 0.05,
}
LOG_GB_MONTH = 0.03
"""USD, AWS's list prices in us-east-1, October 2026, without paid IOPS and throughput; elsewhere up
to a third more.
"""
CLAIM_TAGS = ("kubernetes.io/created-for/pvc/namespace", "kubernetes.io/created-for/pvc/name")
LOG_PATH = "/aws/eks/"
"""Path of log groups from EKS and from Fluent Bit on Fargate, followed by the cluster's name, which
has no slash. EKS recreates them untagged while a cluster is deleted.
"""


def volumes(account: Account, cluster: str) -> Iterator[Thing]:
    """Volumes that the EBS driver made for claims; nodes' disks go with their instances."""
    del cluster
    disks = node_disks(account)
    for page in account.pages("ec2", "describe_volumes"):
        for volume in page["Volumes"]:
            if volume["VolumeId"] in disks:
                continue
            tags = named(volume.get("Tags"))
            claimed = "/".join(tags[key] for key in CLAIM_TAGS if key in tags)
            where = ", ".join(attachment["InstanceId"] for attachment in volume["Attachments"])
            yield Thing(
                id=volume["VolumeId"],
                name=claimed or tags.get("Name", ""),
                tags=tags,
                cost=_volume_cost(volume),
                busy=f"attached to {where}" if where else "",
            )


def remove_volume(account: Account, volume: Thing) -> None:
    """Removes a volume with its data; snapshots stay."""
    account.client("ec2").delete_volume(VolumeId=volume.id)


def log_groups(account: Account, cluster: str) -> Iterator[Thing]:
    """Log groups of the control plane and of Fargate; EKS keeps writing while the cluster is
    deleted.
    """
    logs = account.client("logs")
    prefix = f"{LOG_PATH}{cluster}/"
    for page in account.pages("logs", "describe_log_groups", logGroupNamePrefix=prefix):
        for group in page["logGroups"]:
            arn = group["arn"].removesuffix(":*")
            gigabytes = group.get("storedBytes", 0) / 1e9
            yield Thing(
                id=group["logGroupName"],
                tags=logs.list_tags_for_resource(resourceArn=arn)["tags"],
                by=f"EKS's path {prefix}",
                cost=_monthly(gigabytes * LOG_GB_MONTH, f"{gigabytes:.1f} GB"),
            )


def remove_log_group(account: Account, group: Thing) -> None:
    """Removes a log group with its data."""
    account.client("logs").delete_log_group(logGroupName=group.id)


def _volume_cost(volume: Mapping[str, Any]) -> str:
    size, kind = volume["Size"], volume["VolumeType"]
    if kind not in GIB_MONTH:
        return f"{size} GiB {kind}: price unknown"
    return _monthly(size * GIB_MONTH[kind], f"{size} GiB {kind}")


def _monthly(usd: float, what: str) -> str:
    return f"about {usd:.2f} USD a month, {what}" if usd else FREE
