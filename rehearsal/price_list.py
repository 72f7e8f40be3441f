"""Hourly prices of instances, read from the played AWS in the way that Karpenter reads them."""

import json
import re
from functools import cache
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.state import Endpoints

FARGATE_VCPU_HOUR, FARGATE_GB_HOUR = 0.04048, 0.004445
"""USD for Linux on x86, AWS's list price in us-east-1 and eu-west-1; the played list has EC2 only,
and other regions are up to a third dearer.
"""


def fargate_hourly(size: str) -> float | None:
    """USD an hour for a pod, by the size in EKS's annotation, such as `0.25vCPU 0.5GB`."""
    match = re.fullmatch(r"([\d.]+)vCPU ([\d.]+)GB", size)
    if not match:
        return None
    return float(match[1]) * FARGATE_VCPU_HOUR + float(match[2]) * FARGATE_GB_HOUR


class PriceList:
    """Hourly prices in USD of Linux instances on shared hardware, in the rehearsal's region."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.region = endpoints["region"]
        self.pricing = aws_client("pricing", endpoints)
        self.ec2 = aws_client("ec2", endpoints)
        self.on_demand = cache(self._on_demand)
        self.spot = cache(self._spot)

    def hourly(self, instance_type: str, capacity_type: str, zone: str) -> float | None:
        """Price an hour; None if the price list does not know the type."""
        if capacity_type == "spot":
            return self.spot(instance_type, zone)
        return self.on_demand(instance_type)

    def _on_demand(self, instance_type: str) -> float | None:
        query = {
            "instanceType": instance_type,
            "regionCode": self.region,
            "operatingSystem": "Linux",
            "tenancy": "Shared",
            "preInstalledSw": "NA",
            "capacitystatus": "Used",
        }
        filters = [
            {"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in query.items()
        ]
        reply = self.pricing.get_products(ServiceCode="AmazonEC2", Filters=filters)
        prices = [price for text in reply["PriceList"] for price in _usd(json.loads(text))]
        return min((price for price in prices if price > 0), default=None)

    def _spot(self, instance_type: str, zone: str) -> float | None:
        history = self.ec2.describe_spot_price_history(
            InstanceTypes=[instance_type],
            AvailabilityZone=zone,
            ProductDescriptions=["Linux/UNIX"],
            MaxResults=20,
        )["SpotPriceHistory"]
        own = [
            entry
            for entry in history
            if (entry["InstanceType"], entry["AvailabilityZone"]) == (instance_type, zone)
        ]
        latest = max(own, key=lambda entry: entry["Timestamp"], default=None)
        return None if latest is None else float(latest["SpotPrice"])


def _usd(product: dict[str, Any]) -> list[float]:
    return [
        float(dimension["pricePerUnit"].get("USD", 0))
        for term in product["terms"].get("OnDemand", {}).values()
        for dimension in term["priceDimensions"].values()
    ]
