"""Releases of AWS's own node images, as Parameter Store publishes them in each region."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

import pulumi
import pulumi_aws as aws

from .instance_types import Architecture

ImageFamily = Literal["al2", "al2023", "bottlerocket"]
"""AWS's operating systems for nodes, as Karpenter's aliases spell them."""

FAMILY_NAMES: Mapping[ImageFamily, str] = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
}
"""Names of the image families as AWS's pages spell them."""

_Found = aws.ssm.GetParametersByPathResult

NEAREST = 2
"""Number of releases before and after a missing one that an error names."""


@dataclass(frozen=True, kw_only=True)
class ImageSeries:
    """All releases of one image: of one family, architecture and Kubernetes minor."""

    family: ImageFamily
    architecture: Architecture
    kubernetes: str
    """Kubernetes minor version, for example `1.35`."""

    @property
    def path(self) -> str:
        """Folder in Parameter Store that has a folder for each release."""
        if self.family == "bottlerocket":
            return f"/aws/service/bottlerocket/aws-k8s-{self.kubernetes}/{self.architecture}"
        above = f"/aws/service/eks/optimized-ami/{self.kubernetes}"
        if self.family == "al2":
            return f"{above}/amazon-linux-2{'-arm64' if self.architecture == 'arm64' else ''}"
        return f"{above}/amazon-linux-2023/{self.architecture}/standard"

    def release_path(self, build: str) -> str:
        """Folder of one release, by its date (`20260930`) or Bottlerocket's version (`1.66.0`).

        Karpenter looks an alias up there too (karpenter-provider-aws, pkg/providers/amifamily).
        """
        if self.family == "bottlerocket":
            return f"{self.path}/{build}"
        if self.family == "al2":
            arm = "arm64-" if self.architecture == "arm64" else ""
            return f"{self.path}/amazon-eks-{arm}node-{self.kubernetes}-v{build}"
        kind = f"{self.architecture}-standard-{self.kubernetes}"
        return f"{self.path}/amazon-eks-node-al2023-{kind}-v{build}"

    @property
    def release_parameter(self) -> str:
        """Parameter in a release's folder with the release's name for managed node groups."""
        return "image_version" if self.family == "bottlerocket" else "release_version"

    def releases(self, parameters: Mapping[str, str]) -> Sequence[str]:
        """Releases in the parameters below `path`, oldest first: `1.35.8-20260930`, for
        Bottlerocket `1.66.0-1ad6b4a4`.
        """
        ending = f"/{self.release_parameter}"
        # The newest is there twice: its own folder, and `recommended` or `latest`.
        releases = {value for name, value in parameters.items() if name.endswith(ending)}
        return sorted(releases, key=lambda release: self.order(self.build_of(release)))

    def build_of(self, release: str) -> str:
        """Build of a release, as its folder and Karpenter's alias spell it: a date, or a
        version.
        """
        version, _, build = release.partition("-")
        return version if self.family == "bottlerocket" else build

    def alias_of(self, release: str) -> str:
        """Karpenter's alias for a release: `al2023@v20260930`."""
        return f"{self.family}@v{self.build_of(release)}"

    def order(self, build: str) -> tuple[int, ...]:
        """Sort key of a build, by age."""
        return tuple(int(part) for part in build.split("."))


@dataclass(frozen=True, kw_only=True)
class ImagePin:
    """A release that a stack file pins, and its path in the file."""

    key: str
    """Path in the stack file: `managedNodeGroups.base.releaseVersion`."""
    value: str
    """Value in the stack file: a release, or Karpenter's alias."""
    series: ImageSeries

    @property
    def is_alias(self) -> bool:
        """True if the value is an alias, which has no Kubernetes patch version and no commit."""
        return "@" in self.value

    @property
    def build(self) -> str:
        """Build of the release: its date, or Bottlerocket's version."""
        if self.is_alias:
            return self.value.partition("@")[2].removeprefix("v")
        return self.series.build_of(self.value)

    @property
    def path(self) -> str:
        """Folder of the release in Parameter Store; AWS never changes what it publishes there."""
        return self.series.release_path(self.build)


def published_image(pin: ImagePin, opts: pulumi.InvokeOutputOptions) -> pulumi.Output[str]:
    """Id of the image in the provider's region.

    Raises RunError, which Pulumi prints without a traceback, if AWS published no such release.
    """
    # All below the path: asked for one name that is not there, the provider fails by itself.
    below = aws.ssm.get_parameters_by_path_output(path=pin.path, opts=opts)

    def image_or_every_release(found: _Found) -> str | pulumi.Output[_Found]:
        # The list of all releases is many pages long, and needed for nothing but the remedy.
        return image_id(_parameters(found), pin) or aws.ssm.get_parameters_by_path_output(
            path=pin.series.path, recursive=True, opts=opts
        )

    def image(found: str | _Found) -> str:
        return found if isinstance(found, str) else refuse(pin, _parameters(found))

    # The provider takes whatever Parameter Store holds for a secret, and this is public.
    return pulumi.Output.unsecret(below.apply(image_or_every_release).apply(image))


def _parameters(found: _Found) -> Mapping[str, str]:
    return dict(zip(found.names, found.values, strict=True))


def image_id(parameters: Mapping[str, str], pin: ImagePin) -> str | None:
    """Id of the image among the parameters of a release; None if there are none.

    Raises RunError if AWS gave the release of that date or version another name.
    """
    image = parameters.get(f"{pin.path}/image_id")
    release = parameters.get(f"{pin.path}/{pin.series.release_parameter}", pin.value)
    if image and not pin.is_alias and release != pin.value:
        which = "that version" if pin.series.family == "bottlerocket" else "the release of that day"
        raise pulumi.RunError(
            f'{pin.key}: AWS published {which} as {release}: write this (got "{pin.value}")'
        )
    return image


def refuse(pin: ImagePin, parameters: Mapping[str, str]) -> NoReturn:
    """Raises RunError that names the nearest releases among the parameters of the series."""
    series = pin.series
    near = nearest(pin, series.releases(parameters))
    remedy = f"take {' or '.join(near)}, or another one" if near else "take one"
    raise pulumi.RunError(
        f"{pin.key}: AWS has no such image of {FAMILY_NAMES[series.family]} for Kubernetes "
        f"{series.kubernetes} and {series.architecture} in this region: {remedy} that "
        f"`./frugal-eks images --kubernetes {series.kubernetes} --family "
        f"{series.family}` "
        f'lists (got "{pin.value}")'
    )


def nearest(pin: ImagePin, releases: Sequence[str]) -> Sequence[str]:
    """Releases just before and after the pinned one, in the pin's own spelling."""
    series = pin.series
    wanted = series.order(pin.build)
    before = [each for each in releases if series.order(series.build_of(each)) < wanted]
    after = [each for each in releases if series.order(series.build_of(each)) > wanted]
    near = [*before[-NEAREST:], *after[:NEAREST]]
    return [series.alias_of(each) for each in near] if pin.is_alias else near
