"""EC2's own data on instance types and their offerings."""

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
"""Largest pages of DescribeInstanceTypes and DescribeInstanceTypeOfferings."""
RIGHTS = "the rights ec2:DescribeInstanceTypes and ec2:DescribeInstanceTypeOfferings"
LAUNCHABLE = ("x86_64", "arm64")
CAPACITY_TYPES = ("on-demand", "spot")

_Described = Mapping[str, Any]


class Ec2Error(Exception):
    """Why EC2 gives no answer; the message says what to do."""


class Ec2:
    """EC2 as one account sees it. All methods raise Ec2Error."""

    def __init__(self) -> None:
        # One for all regions: it reads EC2's description once, which takes most of a second.
        self._session: Any = boto3.Session()

    def types_of(self, region: str, seen: Callable[[int], object]) -> Mapping[str, _Described]:
        """Types that a region offers, as DescribeInstanceTypes describes them. `seen` is called
        with the size of each page.
        """
        types: dict[str, _Described] = {}
        for page in self._pages(region, "describe_instance_types", PAGE):
            types |= {each["InstanceType"]: each for each in page["InstanceTypes"]}
            seen(len(page["InstanceTypes"]))
        return types

    def zones_of(self, region: str) -> Mapping[str, set[str]]:
        """Ids of the zones of a region that offer each type."""
        zones: dict[str, set[str]] = {}
        filters = {"LocationType": "availability-zone-id"}
        for page in self._pages(
            region, "describe_instance_type_offerings", OFFERINGS_PAGE, **filters
        ):
            for each in page["InstanceTypeOfferings"]:
                zones.setdefault(each["InstanceType"], set()).add(each["Location"])
        return zones

    def regions_of(self, region: str) -> list[str]:
        """Regions enabled for the account, according to `region`."""
        with _aws_errors(region):
            regions = self._client(region).describe_regions()["Regions"]
            return sorted(each["RegionName"] for each in regions)

    def _pages(self, region: str, operation: str, size: int, **asking: Any) -> Iterator[_Described]:
        with _aws_errors(region):
            pages = self._client(region).get_paginator(operation)
            yield from pages.paginate(**asking, PaginationConfig={"PageSize": size})

    def _client(self, region: str) -> Any:
        return self._session.client("ec2", region_name=region)


def facts(described: _Described) -> TypeFacts:
    """Facts of a type for node groups."""
    architectures = described["ProcessorInfo"]["SupportedArchitectures"]
    # The oldest types have i386 beside it.
    architecture = "x86_64" if "x86_64" in architectures else architectures[0]
    return TypeFacts(
        vcpu=described["VCpuInfo"]["DefaultVCpus"],
        memory_mib=described["MemoryInfo"]["SizeInMiB"],
        architecture=architecture,
    )


def launch_facts(described: _Described) -> LaunchFacts | None:
    """Facts that Karpenter's AWS provider 1.14.1 compares; None for types that it never
    launches.
    """
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
            capacity_type
            for capacity_type in CAPACITY_TYPES
            if capacity_type in described["SupportedUsageClasses"]
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
    """Bandwidth in Mbit/s. Karpenter has its own table, from AWS's documentation: this agrees for
    96 % of the types, and like the table is None for a performance without a number ("High").
    """
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
        devices = [{**device, "Manufacturer": "aws"} for device in neuron["NeuronDevices"]]
    else:
        devices = described.get("InferenceAcceleratorInfo", {}).get("Accelerators", [])
    match devices:
        case [single]:
            return f"{_label(single['Name'])} {_label(single['Manufacturer'])} {single['Count']}"
        case _:
            return None


def _label(words: str) -> str:
    return words.lower().replace(" ", "-")


@contextmanager
def _aws_errors(region: str) -> Generator[None]:
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
