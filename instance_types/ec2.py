"""EC2's own list of instance types."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
    NoCredentialsError,
)

from components.instance_types import TypeFacts

PAGE = 100
"""The most that DescribeInstanceTypes hands out at once."""


class Ec2Error(Exception):
    """EC2 did not answer, or not to us; the message says what to do."""


def types_of(region: str, seen: Callable[[int], object]) -> Mapping[str, TypeFacts]:
    """All types that EC2 offers in a region; `seen` hears of each page how many it had.

    Raises Ec2Error.
    """
    try:
        return dict(_pages(region, seen))
    except NoCredentialsError:
        raise Ec2Error(
            f"EC2 in {region} was not asked, for there are no credentials: log in "
            "(`aws sso login`) or name a profile in AWS_PROFILE, as somebody who may "
            "ec2:DescribeInstanceTypes"
        ) from None
    except (BotoCoreError, ClientError) as error:
        raise Ec2Error(
            f"EC2 in {region} did not answer: {error}. It takes credentials of that partition "
            "with the right ec2:DescribeInstanceTypes, and a region that exists"
        ) from None


def _pages(region: str, seen: Callable[[int], object]) -> Iterator[tuple[str, TypeFacts]]:
    pages = (
        _client(region)
        .get_paginator("describe_instance_types")
        .paginate(PaginationConfig={"PageSize": PAGE})
    )
    for page in pages:
        yield from (facts(described) for described in page["InstanceTypes"])
        seen(len(page["InstanceTypes"]))


def _client(region: str) -> Any:
    session: Any = boto3.Session()
    return session.client("ec2", region_name=region)


def facts(described: Mapping[str, Any]) -> tuple[str, TypeFacts]:
    """Name and facts of one entry of DescribeInstanceTypes."""
    architectures = described["ProcessorInfo"]["SupportedArchitectures"]
    # The oldest types have i386 beside it.
    architecture = "x86_64" if "x86_64" in architectures else architectures[0]
    return described["InstanceType"], TypeFacts(
        vcpu=described["VCpuInfo"]["DefaultVCpus"],
        memory_mib=described["MemoryInfo"]["SizeInMiB"],
        architecture=architecture,
    )
