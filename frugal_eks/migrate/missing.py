"""Fills in what a stack needs and no document gave, for the user to review."""

from typing import Any

from frugal_eks.migrate.conversion import Migration
from frugal_eks.migrate.eksctl.network import EXAMPLE_CIDR
from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.sections import Sections

REGION = "eu-west-1"
CLUSTER = "dev"
VERSION = "1.35"
AL2023_RELEASES = {
    "1.33": "1.33.13-20260930",
    "1.34": "1.34.11-20260930",
    "1.35": "1.35.8-20260930",
    "1.36": "1.36.4-20260930",
}
"""Newest release by Kubernetes minor version, as of November 2026."""
BOTTLEROCKET_RELEASE = "1.66.0-1ad6b4a4"
FILL_IN = "fill in"
_ADMINS = ["arn:aws:iam::111122223333:role/platform-admin"]
_EXISTING_NETWORK: dict[str, Any] = {
    "vpcId": "vpc-0123456789abcdef0",
    "privateSubnetIds": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    "tagSubnets": False,
}
_NEW_NETWORK = {"cidr": "192.168.0.0/16", "availabilityZones": 3, "natGateways": "single"}
"""Network defaults of eksctl."""
_IN_A_NETWORK = ("fargate", "managedNodeGroups", "spotNodeGroups", "karpenter")


def fill_in(migration: Migration, *, cluster: str | None, region: str | None) -> None:
    """Fills in region, cluster and network. Without a ClusterConfig the manifests belong to a
    cluster that already runs, which the stack then uses.
    """
    out = Sections(values=migration.values, comments=migration.comments)
    if not out.has(("aws:region",)):
        why = "" if region else f"{FILL_IN}, or give --region"
        out.put(("aws:region",), region or REGION, why)
    if out.has(("cluster",)):
        _new(out)
    else:
        _existing(out, cluster)


def _new(out: Sections) -> None:
    place: Place = ("cluster",)
    if not out.has((*place, "name")):
        out.put((*place, "name"), CLUSTER, f"{FILL_IN}, or give --cluster")
    if not out.has((*place, "version")):
        out.put((*place, "version"), VERSION, "no document said which")
    if not out.has((*place, "endpoint")):
        endpoint = {"public": True, "publicCidrs": [EXAMPLE_CIDR], "private": True}
        why = f"{FILL_IN}: eksctl opens it to all of the internet, here it is your own addresses"
        out.put((*place, "endpoint"), endpoint, why)
    if not out.has((*place, "admins")):
        why = f"{FILL_IN}: whoever deploys must be among them"
        out.put((*place, "admins"), _ADMINS, why)
    network = out.keys(("network",))
    if "vpcId" in network or "privateSubnetIds" in network:
        for key in ("vpcId", "privateSubnetIds"):
            if key not in network:
                out.put(("network", key), _EXISTING_NETWORK[key], FILL_IN)
    else:
        for key, value in _NEW_NETWORK.items():
            if key not in network:
                out.put(("network", key), value, "eksctl's default")
    _releases(out)


def _releases(out: Sections) -> None:
    version = str(out.get(("cluster", "version")))
    for kind in ("managedNodeGroups", "spotNodeGroups"):
        for name in out.keys((kind,)):
            images = (out.get((kind, name, key)) for key in ("amiType", "imageFamily"))
            bottlerocket = any("BOTTLEROCKET" in str(image).upper() for image in images)
            release = BOTTLEROCKET_RELEASE if bottlerocket else AL2023_RELEASES[version]
            why = f"{FILL_IN}: eksctl took the newest image, here it is pinned"
            if not out.has((kind, name, "releaseVersion")):
                out.put((kind, name, "releaseVersion"), release, why)


def _existing(out: Sections, cluster: str | None) -> None:
    why = "a cluster that runs already; for a new one see stacks/"
    named = why if cluster else f"{FILL_IN}, or give --cluster: {why}"
    out.put(("cluster", "existing"), cluster or CLUSTER, named)
    if any(out.has((section,)) for section in _IN_A_NETWORK) and not out.has(("network",)):
        for key, value in _EXISTING_NETWORK.items():
            out.put(("network", key), value)
        out.say(("network",), f"{FILL_IN}: the VPC of that cluster")
