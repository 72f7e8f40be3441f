"""AWS's own prices: the price list, and the spot price history."""

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
"""Region whose endpoint answers price list queries for all regions."""
RIGHTS = "the rights pricing:GetProducts and ec2:DescribeSpotPriceHistory"
LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}

Seen = Callable[[int], object]


class PriceQuery(NamedTuple):
    """Query that finds a service's price in the price list."""

    code: str
    """AWS's service code."""
    usage: str
    """Regular expression for the usage type, without the prefix for the region."""
    filters: Mapping[str, str] = {}
    everywhere: bool = False
    """True if the price is the same in all regions and listed under none."""


SERVICES: Mapping[Service, PriceQuery] = {
    "eksHour": PriceQuery("AmazonEKS", r"AmazonEKS-Hours:perCluster"),
    "eksExtendedHour": PriceQuery("AmazonEKS", r"AmazonEKS-Hours:extendedSupport"),
    "fargateVcpuHour": PriceQuery("AmazonEKS", r"Fargate-vCPU-Hours:perCPU"),
    "fargateGbHour": PriceQuery("AmazonEKS", r"Fargate-GB-Hours"),
    "natHour": PriceQuery("AmazonEC2", r"NatGateway-Hours", {"productFamily": "NAT Gateway"}),
    "natGb": PriceQuery("AmazonEC2", r"NatGateway-Bytes", {"productFamily": "NAT Gateway"}),
    "publicIpv4Hour": PriceQuery("AmazonVPC", r"PublicIPv4:InUseAddress"),
    "gp3GbMonth": PriceQuery("AmazonEC2", r"EBS:VolumeUsage\.gp3", {"productFamily": "Storage"}),
    "gp2GbMonth": PriceQuery("AmazonEC2", r"EBS:VolumeUsage\.gp2", {"productFamily": "Storage"}),
    "kmsKeyMonth": PriceQuery("awskms", r"KMS-Keys"),
    "logsIngestedGb": PriceQuery("AmazonCloudWatch", r"DataProcessing-Bytes"),
    "logsStoredGbMonth": PriceQuery("AmazonCloudWatch", r"TimedStorage-ByteHrs"),
    "loadBalancerHour": PriceQuery(
        "AWSELB", r"LoadBalancerUsage", {"productFamily": "Load Balancer-Application"}
    ),
    "networkLoadBalancerHour": PriceQuery(
        "AWSELB", r"LoadBalancerUsage", {"productFamily": "Load Balancer-Network"}
    ),
    "endpointHour": PriceQuery("AmazonVPC", r"VpcEndpoint-Hours", {"productFamily": "VpcEndpoint"}),
    "efsGbMonth": PriceQuery("AmazonEFS", r"TimedStorage-ByteHrs"),
    "hostedZoneMonth": PriceQuery("AmazonRoute53", r"HostedZone", everywhere=True),
}


class Listed(NamedTuple):
    """A price from the price list."""

    usd: float
    date: str
    """Date since which the price is in effect, ISO."""
    sku: str


class AwsPrices:
    """Prices that AWS shows to one account. All methods raise CostError."""

    def __init__(self, session: Any = None) -> None:
        self._session: Any = session or boto3.Session()

    def service(self, service: Service, region: str) -> Listed | None:
        """Price of the service's first units; None if AWS lists none in the region."""
        query = SERVICES[service]
        where = {} if query.everywhere else {"regionCode": region}
        with _aws_errors(f"the price list of {query.code}"):
            for product in self._products(query.code, {**where, **query.filters}):
                usage = _attributes(product).get("usagetype", "")
                named = re.fullmatch(rf"(?:[A-Z0-9]+-)?{query.usage}", usage)
                listed = _listed(product) if named else None
                if listed:
                    return listed
        return None

    def on_demand(self, region: str, seen: Seen) -> dict[str, Listed]:
        """On-demand prices by instance type, Linux, shared tenancy. `seen` is called with the count
        so far.
        """
        prices: dict[str, Listed] = {}
        with _aws_errors("the price list of AmazonEC2"):
            for product in self._products("AmazonEC2", {"regionCode": region, **LINUX}):
                attributes, listed = _attributes(product), _listed(product)
                # RunInstances alone is plain Linux; with a suffix it is one with a licence.
                if listed and attributes.get("operation") == "RunInstances":
                    prices[attributes["instanceType"]] = listed
                    seen(len(prices))
        return prices

    def spot(self, region: str, seen: Seen) -> dict[str, float]:
        """Mean of the zones' current spot prices, by instance type."""
        prices: dict[str, dict[str, float]] = {}
        with _aws_errors(f"EC2 in {region}"):
            pages = self._session.client("ec2", region_name=region).get_paginator(
                "describe_spot_price_history"
            )
            now = datetime.now(UTC)
            for page in pages.paginate(StartTime=now, ProductDescriptions=["Linux/UNIX"]):
                for each in page["SpotPriceHistory"]:
                    zones = prices.setdefault(each["InstanceType"], {})
                    # The newest comes first.
                    zones.setdefault(each["AvailabilityZone"], float(each["SpotPrice"]))
                seen(len(prices))
        return {
            name: round(sum(each.values()) / len(each), 6) for name, each in sorted(prices.items())
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
    """The on-demand price of the first units that are not free; None if there is none."""
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
def _aws_errors(what: str) -> Generator[None]:
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
