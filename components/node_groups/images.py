"""Images of nodes: AWS's own for EKS, each pinned by its release."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_aws as aws

from components.instance_types import Architecture

Family = Literal["al2023", "bottlerocket"]
AmiType = Literal[
    "AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "BOTTLEROCKET_x86_64", "BOTTLEROCKET_ARM_64"
]
"""EKS's names for an operating system and an architecture."""

RELEASE = r"^\d+\.\d+\.\d+-(\d{8}|[0-9a-f]{8})$"
"""A release of either family."""

_FORMS: Mapping[Family, tuple[str, str, str]] = {
    "al2023": (
        r"\d+\.\d+\.\d+-20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])",
        "kubelet's version and a date, for example 1.35.0-20261101",
        "https://github.com/awslabs/amazon-eks-ami/releases",
    ),
    "bottlerocket": (
        r"\d+\.\d+\.\d+-[0-9a-f]{8}",
        "its version and a commit, for example 1.50.0-a1b2c3d4",
        "https://github.com/bottlerocket-os/bottlerocket/releases",
    ),
}
"""By family: how a release is written, the same in words, and where they are listed."""


@dataclass(frozen=True, kw_only=True)
class NodeImage:
    """One image of AWS's, by what Parameter Store calls it."""

    family: Family
    architecture: Architecture
    kubernetes: str
    """The cluster's minor, for example `1.35`."""
    release: str
    """As a managed node group takes it: `1.35.0-20261101`, of Bottlerocket `1.50.0-a1b2c3d4`."""

    @property
    def path(self) -> str:
        """Where AWS publishes the image's id in each region. What lies there never changes."""
        version, _, build = self.release.partition("-")
        if self.family == "bottlerocket":
            variant = f"aws-k8s-{self.kubernetes}"
            return f"/aws/service/bottlerocket/{variant}/{self.architecture}/{version}"
        kind = f"{self.architecture}/standard"
        name = f"amazon-eks-node-al2023-{kind.replace('/', '-')}-{self.kubernetes}-v{build}"
        return f"/aws/service/eks/optimized-ami/{self.kubernetes}/amazon-linux-2023/{kind}/{name}"


def family_of(ami_type: AmiType) -> Family:
    """The operating system that EKS means by an AMI type."""
    return "bottlerocket" if ami_type.startswith("BOTTLEROCKET") else "al2023"


def architecture_of(ami_type: AmiType) -> Architecture:
    """The architecture that EKS means by an AMI type."""
    return "arm64" if "ARM_64" in ami_type else "x86_64"


def release_problem(release: str, family: Family, kubernetes: str | None) -> str | None:
    """Why there is no such release for this cluster, and what to do; None where there may be one.

    `kubernetes` is the cluster's minor. None: only the form is looked at.
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


def node_image(image: NodeImage, opts: pulumi.InvokeOutputOptions) -> pulumi.Output[str]:
    """The id that the image has in the provider's region.

    Raises RunError, which Pulumi prints without a traceback, where there is no such release.
    """
    # All below the path: asked for one name that is not there, the provider fails by itself.
    found = aws.ssm.get_parameters_by_path_output(path=image.path, opts=opts)
    ami = found.apply(
        lambda below: image_id(dict(zip(below.names, below.values, strict=True)), image)
    )
    # The provider takes whatever Parameter Store holds for a secret, and this is public.
    return pulumi.Output.unsecret(ami)


def image_id(parameters: Mapping[str, str], image: NodeImage) -> str:
    """The id among the parameters of an image. Raises RunError where it is not."""
    found = parameters.get(f"{image.path}/image_id")
    if found is None:
        raise pulumi.RunError(
            f"AWS has no node image {image.path} in this region: "
            f"set releaseVersion {image.release} to one of {_FORMS[image.family][2]}, "
            "or wait until it is published here"
        )
    return found
