"""Plays the Price List API's GetProducts and EC2's DescribeSpotPriceHistory."""

import datetime
import json
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from moto.ec2.models import ec2_backends
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

from rehearsal.aws import prices
from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.query_filters import filters, form_of, listed

PAGE = 100
SPOT_PAGE = 1000
PRODUCTS = ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
NAMESPACE = "http://ec2.amazonaws.com/doc/2016-11-15/"


def get_products(body: bytes, region_of_table: str) -> dict[str, Any]:
    """pricing:GetProducts, of EC2 instances on demand in the rehearsal's region."""
    query: dict[str, Any] = json.loads(body or b"{}")
    if query.get("ServiceCode") != "AmazonEC2":
        raise AwsError(
            "InvalidParameterException",
            f"The rehearsal has prices of AmazonEC2 only, not of {query.get('ServiceCode')}",
        )
    filters = {f["Field"].lower(): f["Value"] for f in query.get("Filters", [])}
    products = [p for p in _products(region_of_table) if _matches(p, filters)]
    start = int(query.get("NextToken") or 0)
    end = start + min(int(query.get("MaxResults") or PAGE), PAGE)
    answer: dict[str, Any] = {
        "FormatVersion": "aws_v1",
        "PriceList": [json.dumps(product) for product in products[start:end]],
    }
    if end < len(products):
        answer["NextToken"] = str(end)
    return answer


def spot_price_history(body: bytes, account: str, region: str) -> bytes:
    """ec2:DescribeSpotPriceHistory, as XML: one price of today for each type and zone."""
    form = form_of(body)
    types = listed(form, "InstanceType")
    zones = set(form.get("AvailabilityZone", []))
    products = listed(form, "ProductDescription") or {PRODUCTS[0]}
    for name, values in filters(form):
        if name == "instance-type":
            types = types & values if types else values
        elif name == "availability-zone":
            zones = zones & values if zones else values
        elif name == "product-description":
            products = products & values
    # Of both descriptions for Linux AWS gives one price: one item is enough for each zone.
    product = next((known for known in PRODUCTS if known in products), None)
    rows = list(_spot_rows(account, region, types, zones)) if product else []
    start = int(form.get("NextToken", ["0"])[0] or 0)
    end = start + min(int(form.get("MaxResults", [str(SPOT_PAGE)])[0]), SPOT_PAGE)
    items = "".join(_item(*row, product or "") for row in rows[start:end])
    token = f"<nextToken>{end}</nextToken>" if end < len(rows) else ""
    return (
        f'<DescribeSpotPriceHistoryResponse xmlns="{NAMESPACE}">'
        f"<requestId>{'0' * 8}</requestId><spotPriceHistorySet>{items}</spotPriceHistorySet>"
        f"{token}</DescribeSpotPriceHistoryResponse>"
    ).encode()


def _products(region: str) -> Iterator[dict[str, Any]]:
    for instance_type, price in prices.load().on_demand(region):
        metal = ".metal" in instance_type
        sku = f"{region}-{instance_type}"
        yield {
            "serviceCode": "AmazonEC2",
            "product": {
                "productFamily": "Compute Instance (bare metal)" if metal else "Compute Instance",
                "sku": sku,
                "attributes": {
                    "servicecode": "AmazonEC2",
                    "regionCode": region,
                    "instanceType": instance_type,
                    "operatingSystem": "Linux",
                    "preInstalledSw": "NA",
                    "capacitystatus": "Used",
                    "marketoption": "OnDemand",
                    "tenancy": "Dedicated" if metal else "Shared",
                },
            },
            "terms": {
                "OnDemand": {
                    f"{sku}.term": {
                        "effectiveDate": prices.load().date,
                        "priceDimensions": {
                            f"{sku}.rate": {"unit": "Hrs", "pricePerUnit": {"USD": f"{price:.10f}"}}
                        },
                    }
                }
            },
        }


def _matches(product: dict[str, Any], filters: dict[str, str]) -> bool:
    attributes = product["product"]["attributes"]
    facts = {key.lower(): value for key, value in attributes.items()}
    facts["productfamily"] = product["product"]["productFamily"]
    return all(facts.get(field) == value for field, value in filters.items())


def _spot_rows(
    account: str, region: str, types: set[str], zones: set[str]
) -> Iterator[tuple[str, str, float]]:
    ids = {z.name: z.zone_id for z in ec2_backends[account][region].describe_availability_zones()}
    for offering in INSTANCE_TYPE_OFFERINGS["availability-zone"].get(region, []):
        instance_type, zone = offering["InstanceType"], offering["Location"]
        if (types and instance_type not in types) or (zones and zone not in zones):
            continue
        price = prices.load().spot(instance_type, region, ids.get(zone, ""))
        if price is not None:
            yield instance_type, zone, price


def _item(instance_type: str, zone: str, price: float, product: str) -> str:
    today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT00:00:00.000Z")
    return (
        f"<item><instanceType>{instance_type}</instanceType>"
        f"<productDescription>{escape(product)}</productDescription>"
        f"<spotPrice>{price:.6f}</spotPrice><timestamp>{today}</timestamp>"
        f"<availabilityZone>{zone}</availabilityZone></item>"
    )
