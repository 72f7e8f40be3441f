"""Plays the Kubernetes versions that EKS offers."""

from components.compatibility import EXTENDED_SUPPORT_SINCE
from rehearsal.aws.eks_service.state import Answer, Eks, Params, page


def describe_cluster_versions(eks: Eks, params: Params) -> Answer:
    """DescribeClusterVersions: the versions that this project knows, newest first."""
    wanted = params.get("clusterVersions") or eks.addon_versions
    known = sorted(
        eks.addon_versions, key=lambda minor: [*map(int, minor.split("."))], reverse=True
    )
    offered: list[Answer] = [
        {
            "clusterVersion": minor,
            "clusterType": "eks",
            "defaultVersion": minor == known[0],
            "versionStatus": "EXTENDED_SUPPORT"
            if minor in EXTENDED_SUPPORT_SINCE
            else "STANDARD_SUPPORT",
        }
        for minor in known
        if minor in wanted
    ]
    return page(offered, params, "clusterVersions")


HANDLERS = {"DescribeClusterVersions": describe_cluster_versions}
