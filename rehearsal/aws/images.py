"""AMIs of EKS and Amazon Linux, and the public SSM parameters that lead to those of EKS.

moto has none of them. Here are the releases of image_releases.yaml, which existed; what was never
published is as unknown as on AWS. An AMI is made when its name is first asked for.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import datetime
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ssm.models import Parameter, ssm_backends

OWNER = "602401143452"  # the account that EKS publishes its images from
AMAZON_LINUX_OWNER = "137112412989"

AL2023 = re.compile(
    r"/aws/service/eks/optimized-ami/(?P<minor>1\.\d\d)/amazon-linux-2023"
    r"/(?P<arch>x86_64|arm64)/(?P<variant>standard|nvidia|neuron)"
    r"/(?P<release>recommended|amazon-eks-node-al2023-(?P=arch)-(?P=variant)-(?P=minor)-v\d{8})"
    r"/(?P<field>image_id|image_name|release_version)"
)
BOTTLEROCKET = re.compile(
    r"/aws/service/bottlerocket/aws-k8s-(?P<minor>1\.\d\d)(?P<variant>-nvidia|-fips|)"
    r"/(?P<arch>x86_64|arm64)/(?P<release>latest|\d+\.\d+\.\d+(-[0-9a-f]{8})?)"
    r"/(?P<field>image_id|image_version)"
)


AMAZON_LINUX = re.compile(
    r"al2023-ami-(?:minimal-)?2023\.\d+\.(?P<date>\d{8})\.\d+-kernel-\d+\.\d+-(?P<arch>x86_64|arm64)"
)


@dataclass(frozen=True)
class Image:
    """An AMI by its published name."""

    name: str
    architecture: str
    created: datetime.datetime
    root_device: str
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """Fields of its SSM parameters besides image_id."""
    owner: str = OWNER


def ensure_parameter(account_id: str, region: str, name: str) -> bool:
    """Creates an EKS image parameter and its AMI in moto. Returns False for any other parameter."""
    image, field = _image_of(name)
    if image is None:
        return False
    # There is no public way in: names below /aws/ are AWS's own.
    parameters: Any = ssm_backends[account_id][region]._parameters
    if not parameters.get(name):
        parameters[name].append(
            Parameter(
                account_id=account_id,
                name=name,
                value=value(account_id, region, name),
                parameter_type="String",
                description=None,
                allowed_pattern=None,
                keyid=None,
                last_modified_date=image.created,
                version=1,
                data_type="aws:ec2:image" if field == "image_id" else "text",
            )
        )
    return True


def ensure_below(account_id: str, region: str, path: str) -> None:
    """Creates all parameters of EKS images below a path in moto."""
    below = path.rstrip("/") + "/"
    for name in _every_parameter():
        if name.startswith(below):
            ensure_parameter(account_id, region, name)


def value(account_id: str, region: str, name: str) -> str:
    """Value of an EKS image parameter. Raises ValueError if it is not one."""
    image, field = _image_of(name)
    if image is None:
        raise ValueError(f"{name} is not the parameter of an EKS image")
    return image.fields.get(field) or ensure_image(account_id, region, image)


def ensure_named(account_id: str, region: str, name: str) -> bool:
    """Creates an AMI of Amazon Linux 2023 in moto, by its name. Returns False for any other
    name.
    """
    match = AMAZON_LINUX.fullmatch(name)
    if match is None:
        return False
    try:
        created = _day(match["date"])
    except ValueError:
        return False
    # moto brings a few with it.
    if not any(ami.name == name for ami in ec2_backends[account_id][region].amis.values()):
        image = Image(name, match["arch"], created, "/dev/xvda", owner=AMAZON_LINUX_OWNER)
        ensure_image(account_id, region, image)
    return True


def ensure_image(account_id: str, region: str, image: Image) -> str:
    """Creates the AMI in moto; returns its id, which is always the same."""
    ami_id = f"ami-{hashlib.sha256(f'{region}/{image.name}'.encode()).hexdigest()[:17]}"
    backend: Any = ec2_backends[account_id][region]
    if ami_id not in backend.amis:
        backend.amis[ami_id] = Ami(
            backend,
            ami_id,
            name=image.name,
            owner_id=image.owner,
            owner_alias="amazon",
            public=True,
            virtualization_type="hvm",
            architecture=image.architecture,
            creation_date=image.created,
            image_location=f"amazon/{image.name}",
            hypervisor="xen",
            root_device_type="ebs",
            root_device_name=image.root_device,
            region_name=f"{region}a",
        )
    return ami_id


AL2023_VARIANTS = [
    ("x86_64", "standard"),
    ("x86_64", "nvidia"),
    ("x86_64", "neuron"),
    ("arm64", "standard"),
    ("arm64", "nvidia"),
]


@dataclass(frozen=True)
class Releases:
    """Releases that AWS published, by Kubernetes version, oldest first."""

    al2023: dict[str, list[str]]
    """Releases as a managed node group takes them: `1.35.8-20260930`."""
    bottlerocket: dict[str, list[str]]
    """Releases as a managed node group takes them: `1.66.0-1ad6b4a4`."""


@cache
def releases() -> Releases:
    """The releases of image_releases.yaml."""
    data = yaml.safe_load(Path(__file__).with_name("image_releases.yaml").read_text())
    al2023: dict[str, list[str]] = {}
    for day, patches in sorted(data["al2023"].items()):
        for patch in patches:
            al2023.setdefault(patch.rpartition(".")[0], []).append(f"{patch}-{day}")
    bottlerocket: dict[str, list[str]] = {}
    for version, facts in data["bottlerocket"].items():
        for minor in facts["minors"]:
            bottlerocket.setdefault(minor, []).append(f"{version}-{facts['commit']}")
    return Releases(al2023, bottlerocket)


BOTTLEROCKET_VARIANTS = ("", "-nvidia", "-fips")
ARCHITECTURES = ("x86_64", "arm64")


@cache
def _every_parameter() -> list[str]:
    return [*_every_al2023_parameter(), *_every_bottlerocket_parameter()]


def _every_al2023_parameter() -> Iterator[str]:
    for minor, published in releases().al2023.items():
        for arch, variant in AL2023_VARIANTS:
            dates = (release.rpartition("-")[2] for release in published)
            names = (f"amazon-eks-node-al2023-{arch}-{variant}-{minor}-v{date}" for date in dates)
            above = f"/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023/{arch}/{variant}"
            for release in ("recommended", *names):
                for last in ("image_id", "image_name", "release_version"):
                    yield f"{above}/{release}/{last}"


def _every_bottlerocket_parameter() -> Iterator[str]:
    for minor, published in releases().bottlerocket.items():
        for variant in BOTTLEROCKET_VARIANTS:
            for arch in ARCHITECTURES:
                above = f"/aws/service/bottlerocket/aws-k8s-{minor}{variant}/{arch}"
                for release in ("latest", *(each.partition("-")[0] for each in published)):
                    for last in ("image_id", "image_version"):
                        yield f"{above}/{release}/{last}"


def _image_of(parameter: str) -> tuple[Image | None, str]:
    if match := AL2023.fullmatch(parameter):
        return _al2023(match), match["field"]
    if match := BOTTLEROCKET.fullmatch(parameter):
        return _bottlerocket(match), match["field"]
    return None, ""


def _al2023(match: re.Match[str]) -> Image | None:
    if (match["arch"], match["variant"]) not in AL2023_VARIANTS:
        return None
    arch, variant, minor = match["arch"], match["variant"], match["minor"]
    published = releases().al2023.get(minor, [])
    if match["release"] != "recommended":
        date = match["release"].rpartition("-v")[2]
        published = [release for release in published if release.endswith(f"-{date}")]
    if not published:
        return None
    release = published[-1]
    date = release.rpartition("-")[2]
    name = f"amazon-eks-node-al2023-{arch}-{variant}-{minor}-v{date}"
    fields = {"image_name": name, "release_version": release}
    return Image(name, arch, _day(date), "/dev/xvda", fields)


def _day(digits: str) -> datetime.datetime:
    return datetime.datetime.strptime(digits, "%Y%m%d").replace(tzinfo=datetime.UTC)


def _bottlerocket(match: re.Match[str]) -> Image | None:
    published = releases().bottlerocket.get(match["minor"], [])
    wanted = match["release"]
    if wanted != "latest":
        published = [each for each in published if wanted in (each, each.partition("-")[0])]
    if not published:
        return None
    version = published[-1]
    arch, flavour = match["arch"], f"aws-k8s-{match['minor']}{match['variant']}"
    # A version does not tell its date: the time of a fixed day keeps the order of versions.
    numbers = [int(part) for part in version.partition("-")[0].split(".")]
    day = datetime.timedelta(days=numbers[0] * 365 + numbers[1] * 10, hours=numbers[2])
    created = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC) + day
    # Parameter Store says arm64 where the name of the image says aarch64.
    processor = "aarch64" if arch == "arm64" else arch
    name = f"bottlerocket-{flavour}-{processor}-v{version}"
    return Image(name, arch, created, "/dev/xvda", {"image_version": version})
