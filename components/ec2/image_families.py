"""Families of AWS's own node images for EKS, and the form of their releases."""

import re
from collections.abc import Mapping
from typing import Literal

from .instance_types import Architecture

Family = Literal["al2023", "bottlerocket"]
AmiType = Literal[
    "AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "BOTTLEROCKET_x86_64", "BOTTLEROCKET_ARM_64"
]
"""EKS's names for an operating system and an architecture."""

RELEASE = r"^\d+\.\d+\.\d+-(\d{8}|[0-9a-f]{8})$"
"""Pattern of a release of either family."""

_FORMS: Mapping[Family, tuple[str, str, str]] = {
    "al2023": (
        r"\d+\.\d+\.\d+-20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])",
        "kubelet's version and a date, for example 1.35.8-20260930",
        "https://github.com/awslabs/amazon-eks-ami/releases",
    ),
    "bottlerocket": (
        r"\d+\.\d+\.\d+-[0-9a-f]{8}",
        "its version and a commit, for example 1.66.0-1ad6b4a4",
        "https://github.com/bottlerocket-os/bottlerocket/releases",
    ),
}
"""For each family, the pattern of a release, its description, and the page that lists releases."""


def family_of(ami_type: AmiType) -> Family:
    """Operating system of an AMI type."""
    return "bottlerocket" if ami_type.startswith("BOTTLEROCKET") else "al2023"


def architecture_of(ami_type: AmiType) -> Architecture:
    """Processor architecture of an AMI type."""
    return "arm64" if "ARM_64" in ami_type else "x86_64"


def release_problem(release: str, family: Family, kubernetes: str | None) -> str | None:
    """Why no such release exists for this cluster, and what to do; None if one may exist.

    `kubernetes` is the cluster's minor version; None checks the form only.
    """
    form, words, releases = _FORMS[family]
    if not re.fullmatch(form, release):
        name = "Bottlerocket" if family == "bottlerocket" else "AL2023"
        return f"is no release of {name}: write {words} ({releases})"
    # A release of Bottlerocket has an image for each minor.
    minor = ".".join(release.split(".")[:2])
    if family == "al2023" and kubernetes and minor != kubernetes:
        return (
            f"is for Kubernetes {minor}, and the cluster has {kubernetes}: "
            f"take a release that begins with {kubernetes} ({releases})"
        )
    return None
