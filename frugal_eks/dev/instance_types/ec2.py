"""What EC2 itself says of its instance types, and of where they are offered."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
    NoCredentialsError,
)

from components.ec2.instance_offerings import LaunchFacts
from components.ec2.instance_types import TypeFacts

PAGE, OFFERINGS_PAGE = 100, 1000
"""The most that DescribeInstanceTypes and DescribeInstanceTypeOfferings hand out at once."""
RIGHTS = "the rights ec2:DescribeInstanceTypes and ec2:DescribeInstanceTypeOfferings"
LAUNCHABLE = ("x86_64", "arm64")
CAPACITY_TYPES = ("on-demand", "spot")

_Described = Mapping[str, Any]


class Ec2Error(Exception):
    """EC2 did not answer, or not to us; the message says what to do."""


class Ec2:
    """EC2 as one account sees it. All of its methods raise Ec2Error."""

    def __init__(self) -> None:
        # One for all regions: it reads EC2's description once, which takes most of a second.
        self._session: Any = boto3.Session()

    def types_of(self, region: str, seen: Callable[[int], object]) -> Mapping[str, _Described]:
        """All types that a region offers, each as DescribeInstanceTypes tells it; `seen` hears of
        each page how many it had."""
        found: dict[str, _Described] = {}
        for page in self._pages(region, "describe_instance_types", PAGE):
            found |= {each["InstanceType"]: each for each in page["InstanceTypes"]}
            seen(len(page["InstanceTypes"]))
        return found

    def zones_of(self, region: str) -> Mapping[str, set[str]]:
        """The ids of the zones of a region that offer each type."""
        found: dict[str, set[str]] = {}
        asked = {"LocationType": "availability-zone-id"}
        for page in self._pages(
            region, "describe_instance_type_offerings", OFFERINGS_PAGE, **asked
        ):
            for each in page["InstanceTypeOfferings"]:
                found.setdefault(each["InstanceType"], set()).add(each["Location"])
        return found

    def regions_of(self, region: str) -> list[str]:
        """The regions that the account has, asked in one of them."""
        with _told(region):
            regions = self._client(region).describe_regions()["Regions"]
            return sorted(each["RegionName"] for each in regions)

    def _pages(self, region: str, asked: str, size: int, **asking: Any) -> Iterator[_Described]:
        with _told(region):
            pages = self._client(region).get_paginator(asked)
            yield from pages.paginate(**asking, PaginationConfig={"PageSize": size})

    def _client(self, region: str) -> Any:
        return self._session.client("ec2", region_name=region)


def facts(described: _Described) -> TypeFacts:
    """What a group is told of a type."""
    architectures = described["ProcessorInfo"]["SupportedArchitectures"]
    # The oldest types have i386 beside it.
    architecture = "x86_64" if "x86_64" in architectures else architectures[0]
    return TypeFacts(
        vcpu=described["VCpuInfo"]["DefaultVCpus"],
        memory_mib=described["MemoryInfo"]["SizeInMiB"],
        architecture=architecture,
    )


def launch_facts(described: _Described) -> LaunchFacts | None:
    """What Karpenter's AWS provider 1.14.1 compares of a type; None of one it never launches."""
    virtual = described.get("SupportedVirtualizationTypes", [])
    if "hvm" not in virtual or facts(described).architecture not in LAUNCHABLE:
        return None
    processor = described["ProcessorInfo"]
    ebs = described.get("EbsInfo", {})
    optimized = ebs.get("EbsOptimizedSupport") == "default"
    storage = described.get("InstanceStorageInfo", {})
    nvme = storage.get("NvmeSupport") != "unsupported"
    return LaunchFacts(
        capacity_types=" ".join(
            one for one in CAPACITY_TYPES if one in described["SupportedUsageClasses"]
        ),
        manufacturer=_label(processor.get("Manufacturer", "")),
        clock_mhz=round(processor.get("SustainedClockSpeedInGhz", 0) * 1000),
        hypervisor=described.get("Hypervisor", ""),
        encrypts=described.get("NetworkInfo", {}).get("EncryptionInTransitSupported", False),
        ebs_mbps=ebs.get("EbsOptimizedInfo", {}).get("MaximumBandwidthInMbps")
        if optimized
        else None,
        network_mbps=_network(described.get("NetworkInfo", {})),
        nvme_gb=storage.get("TotalSizeInGB") if nvme else None,
        gpu=_gpu(described),
        accelerator=_accelerator(described),
    )


def _network(network: _Described) -> int | None:
    """Karpenter has a table of its own, from AWS's documentation: this says the same of 96 % of
    the types, and like the table nothing of those whose performance is a mere "High"."""
    cards = network.get("NetworkCards", [])
    speeds = [card.get("BaselineBandwidthInGbps") for card in cards]
    if not re.search(r"\d", network.get("NetworkPerformance", "")) or not all(speeds):
        return None
    return round(sum(speeds) * 1000) or None


def _gpu(described: _Described) -> str | None:
    match described.get("GpuInfo", {}).get("Gpus", []):
        case [gpu]:
            memory = gpu["MemoryInfo"]["SizeInMiB"]
            return f"{_label(gpu['Name'])} {_label(gpu['Manufacturer'])} {gpu['Count']} {memory}"
        case _:
            return None


def _accelerator(described: _Described) -> str | None:
    neuron = described.get("NeuronInfo")
    if neuron:
        found = [{**device, "Manufacturer": "aws"} for device in neuron["NeuronDevices"]]
    else:
        found = described.get("InferenceAcceleratorInfo", {}).get("Accelerators", [])
    match found:
        case [one]:
            return f"{_label(one['Name'])} {_label(one['Manufacturer'])} {one['Count']}"
        case _:
            return None


def _label(words: str) -> str:
    return words.lower().replace(" ", "-")


@contextmanager
def _told(region: str) -> Generator[None]:
    try:
        yield
    except NoCredentialsError:
        raise Ec2Error(
            f"EC2 in {region} was not asked, for there are no credentials: log in "
            f"(`aws sso login`) or name a profile in AWS_PROFILE, as somebody who has {RIGHTS}"
        ) from None
    except (BotoCoreError, ClientError) as error:
        raise Ec2Error(
            f"EC2 in {region} did not answer: {error}. It takes credentials of that partition "
            f"with {RIGHTS}, and a region that exists"
        ) from None
