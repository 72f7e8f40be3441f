"""What AWS itself says of its prices: the price list, and the market for spot."""

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
    NoCredentialsError,
)

from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.prices import Service

HOME = "us-east-1"
"""The price list of all regions is answered there."""
RIGHTS = "the rights pricing:GetProducts and ec2:DescribeSpotPriceHistory"
LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}

Seen = Callable[[int], object]


class Asked(NamedTuple):
    """Where the price list has a service's price."""

    code: str
    """AWS's code of the service."""
    usage: str
    """A regular expression for the usage type, without the region's short name before it."""
    filters: Mapping[str, str] = {}
    everywhere: bool = False
    """The same in all regions, and listed for none."""


SERVICES: Mapping[Service, Asked] = {
    "eksHour": Asked("AmazonEKS", r"AmazonEKS-Hours:perCluster"),
    "eksExtendedHour": Asked("AmazonEKS", r"AmazonEKS-Hours:extendedSupport"),
    "fargateVcpuHour": Asked("AmazonEKS", r"Fargate-vCPU-Hours:perCPU"),
    "fargateGbHour": Asked("AmazonEKS", r"Fargate-GB-Hours"),
    "natHour": Asked("AmazonEC2", r"NatGateway-Hours", {"productFamily": "NAT Gateway"}),
    "natGb": Asked("AmazonEC2", r"NatGateway-Bytes", {"productFamily": "NAT Gateway"}),
    "publicIpv4Hour": Asked("AmazonVPC", r"PublicIPv4:InUseAddress"),
    "gp3GbMonth": Asked("AmazonEC2", r"EBS:VolumeUsage\.gp3", {"productFamily": "Storage"}),
    "gp2GbMonth": Asked("AmazonEC2", r"EBS:VolumeUsage\.gp2", {"productFamily": "Storage"}),
    "kmsKeyMonth": Asked("awskms", r"KMS-Keys"),
    "logsIngestedGb": Asked("AmazonCloudWatch", r"DataProcessing-Bytes"),
    "logsStoredGbMonth": Asked("AmazonCloudWatch", r"TimedStorage-ByteHrs"),
    "loadBalancerHour": Asked(
        "AWSELB", r"LoadBalancerUsage", {"productFamily": "Load Balancer-Application"}
    ),
    "networkLoadBalancerHour": Asked(
        "AWSELB", r"LoadBalancerUsage", {"productFamily": "Load Balancer-Network"}
    ),
    "endpointHour": Asked("AmazonVPC", r"VpcEndpoint-Hours", {"productFamily": "VpcEndpoint"}),
    "efsGbMonth": Asked("AmazonEFS", r"TimedStorage-ByteHrs"),
    "hostedZoneMonth": Asked("AmazonRoute53", r"HostedZone", everywhere=True),
}


class Listed(NamedTuple):
    """A price of the list."""

    usd: float
    date: str
    """Since when it is in effect, ISO."""
    sku: str


class AwsPrices:
    """AWS as one account sees it. All of its methods raise CostError."""

    def __init__(self, session: Any = None) -> None:
        self._session: Any = session or boto3.Session()

    def service(self, service: Service, region: str) -> Listed | None:
        """The price of its first units; None where AWS lists none in the region."""
        asked = SERVICES[service]
        where = {} if asked.everywhere else {"regionCode": region}
        with _told(f"the price list of {asked.code}"):
            for product in self._products(asked.code, {**where, **asked.filters}):
                usage = _attributes(product).get("usagetype", "")
                named = re.fullmatch(rf"(?:[A-Z0-9]+-)?{asked.usage}", usage)
                found = _listed(product) if named else None
                if found:
                    return found
        return None

    def on_demand(self, region: str, seen: Seen) -> dict[str, Listed]:
        """Linux, shared tenancy, by type; `seen` hears how many there are so far."""
        found: dict[str, Listed] = {}
        with _told("the price list of AmazonEC2"):
            for product in self._products("AmazonEC2", {"regionCode": region, **LINUX}):
                attributes, listed = _attributes(product), _listed(product)
                # RunInstances alone is plain Linux; with a suffix it is one with a licence.
                if listed and attributes.get("operation") == "RunInstances":
                    found[attributes["instanceType"]] = listed
                    seen(len(found))
        return found

    def spot(self, region: str, seen: Seen) -> dict[str, float]:
        """The mean of its zones' present prices, by type."""
        found: dict[str, dict[str, float]] = {}
        with _told(f"EC2 in {region}"):
            pages = self._session.client("ec2", region_name=region).get_paginator(
                "describe_spot_price_history"
            )
            now = datetime.now(UTC)
            for page in pages.paginate(StartTime=now, ProductDescriptions=["Linux/UNIX"]):
                for each in page["SpotPriceHistory"]:
                    zones = found.setdefault(each["InstanceType"], {})
                    # The newest comes first.
                    zones.setdefault(each["AvailabilityZone"], float(each["SpotPrice"]))
                seen(len(found))
        return {
            name: round(sum(each.values()) / len(each), 6) for name, each in sorted(found.items())
        }

    def _products(self, code: str, filters: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        given = [{"Type": "TERM_MATCH", "Field": k, "Value": v} for k, v in filters.items()]
        pages = self._session.client("pricing", region_name=HOME).get_paginator("get_products")
        for page in pages.paginate(ServiceCode=code, Filters=given):
            for text in page["PriceList"]:
                yield json.loads(text)


def _attributes(product: Mapping[str, Any]) -> Mapping[str, str]:
    return product["product"]["attributes"]


def _listed(product: Mapping[str, Any]) -> Listed | None:
    """Of the first units that are not free."""
    terms = cast(Mapping[str, Any], product.get("terms", {}).get("OnDemand", {}))
    for term in terms.values():
        dimensions = cast(Mapping[str, Any], term["priceDimensions"]).values()
        priced = [
            (float(each.get("beginRange") or 0), usd)
            for each in dimensions
            if (usd := float(each["pricePerUnit"].get("USD", 0)))
        ]
        if priced:
            date = str(term.get("effectiveDate", ""))[:10]
            return Listed(min(priced)[1], date, product["product"]["sku"])
    return None


@contextmanager
def _told(what: str) -> Generator[None]:
    try:
        yield
    except NoCredentialsError:
        raise CostError(
            f"{what} was not asked, for there are no credentials: log in (`aws sso login`) or name "
            f"a profile in AWS_PROFILE, as somebody who has {RIGHTS}"
        ) from None
    except (BotoCoreError, ClientError) as error:
        raise CostError(
            f"{what} did not answer: {error}. It takes credentials with {RIGHTS}, and a region "
            "that exists"
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CostError(
            f"{what} answered in a shape that is not known ({type(error).__name__}: {error}): "
            "report it, and keep the list that ships"
        ) from None
