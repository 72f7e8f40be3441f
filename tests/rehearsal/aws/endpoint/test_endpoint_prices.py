import json

import pytest

from rehearsal.aws import price_table, prices
from rehearsal.aws.price_api import PAGE
from tests.rehearsal.aws.endpoint.conftest import REGION, refused

KARPENTER = {
    "regionCode": REGION,
    "serviceCode": "AmazonEC2",
    "preInstalledSw": "NA",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}
"""The filters that Karpenter sends, besides tenancy and product family."""


def products(aws, **filters):
    asked = [{"Type": "TERM_MATCH", "Field": key, "Value": v} for key, v in filters.items()]
    pages = aws.client("pricing").get_paginator("get_products")
    found = {}
    for page in pages.paginate(ServiceCode="AmazonEC2", Filters=asked):
        assert len(page["PriceList"]) <= PAGE
        for product in map(json.loads, page["PriceList"]):
            (term,) = product["terms"]["OnDemand"].values()
            (dimension,) = term["priceDimensions"].values()
            price = float(dimension["pricePerUnit"]["USD"])
            found[product["product"]["attributes"]["instanceType"]] = price
    return found


def test_karpenter_finds_shared_and_bare_metal_prices(bare_aws):
    shared = products(bare_aws, **KARPENTER, tenancy="Shared", productFamily="Compute Instance")
    metal = products(
        bare_aws, **KARPENTER, tenancy="Dedicated", productFamily="Compute Instance (bare metal)"
    )

    assert len(shared) > len(metal) > PAGE
    assert "m6i.large" in shared
    assert "m6i.metal" in metal
    assert not set(shared) & set(metal)


def test_there_are_no_prices_of_another_region_or_service(bare_aws):
    assert products(bare_aws, **{**KARPENTER, "regionCode": "us-gov-east-1"}) == {}
    problem = refused(lambda: bare_aws.client("pricing").get_products(ServiceCode="AmazonS3"))
    assert problem.startswith("InvalidParameterException: The rehearsal has prices of AmazonEC2")


def test_spot_prices_differ_by_zone_and_stay_below_on_demand(bare_aws):
    on_demand = products(bare_aws, **KARPENTER, tenancy="Shared")
    pages = bare_aws.client("ec2").get_paginator("describe_spot_price_history")

    found = {}
    for page in pages.paginate(ProductDescriptions=["Linux/UNIX", "Linux/UNIX (Amazon VPC)"]):
        for row in page["SpotPriceHistory"]:
            found[row["InstanceType"], row["AvailabilityZone"]] = float(row["SpotPrice"])

    assert {zone for _, zone in found} == {f"{REGION}{z}" for z in "abc"}
    by_zone = [found["m6i.large", f"{REGION}{zone}"] for zone in "abc"]
    assert len(set(by_zone)) == len(by_zone)
    for (instance_type, _), price in found.items():
        if instance_type in on_demand:
            assert 0 < price < on_demand[instance_type]


def test_the_spot_price_history_can_be_narrowed(bare_aws):
    ec2 = bare_aws.client("ec2")
    by_filter = [{"Name": "availability-zone", "Values": [f"{REGION}b"]}]

    rows = ec2.describe_spot_price_history(InstanceTypes=["m6i.large"], Filters=by_filter)

    (row,) = rows["SpotPriceHistory"]
    assert (row["InstanceType"], row["AvailabilityZone"]) == ("m6i.large", f"{REGION}b")


def test_a_sampled_type_has_its_sampled_prices():
    table = prices.load()

    for sampled in prices.SAMPLES:
        sample = table.samples[sampled]["eu-west-1"]
        assert dict(table.on_demand("eu-west-1"))[sampled] == sample["onDemand"]
        for zone, price in sample["spot"].items():
            assert table.spot(sampled, "eu-west-1", zone) == price


def test_a_region_without_a_sample_has_the_prices_of_us_east_1():
    table = prices.load()

    assert dict(table.on_demand("sa-east-1")) == dict(table.on_demand("us-east-1"))
    home = [table.spot("m6i.2xlarge", "us-east-1", f"use1-az{i}") for i in (1, 2, 4, 5, 6)]
    mean = sum(home) / len(home)
    assert table.spot("m6i.2xlarge", "sa-east-1", "sae1-az1") == pytest.approx(mean)


def test_a_zone_without_a_sample_has_its_regions_mean():
    table = prices.load()
    zones = [table.spot("r6i.large", "us-west-2", f"usw2-az{i}") for i in (1, 2, 3, 4)]

    assert table.spot("r6i.large", "us-west-2", "usw2-az9") == pytest.approx(
        sum(zones) / 4, abs=1e-6
    )


def test_an_unknown_type_has_no_price():
    assert prices.load().spot("z99.large", "eu-west-1", "euw1-az1") is None


def test_list_prices_are_read_from_karpenters_module(tmp_path):
    source = tmp_path / price_table.LIST_PRICES
    source.parent.mkdir(parents=True)
    source.write_text(
        "// generated at 2026-01-02T00:00:00Z for us-east-1\n"
        '"b2.large": 0.500000, "a1.large": 0.250000,\n'
    )

    assert price_table.list_prices(tmp_path) == (
        "2026-01-02",
        {"a1.large": 0.25, "b2.large": 0.5},
    )
    source.write_text("something else")
    with pytest.raises(ValueError, match="has another format"):
        price_table.list_prices(tmp_path)


def test_spot_samples_are_read_from_a_table(tmp_path):
    table = tmp_path / "spot.csv"
    head = "InstanceType,Price,SpotPrice,Region,AvailabilityZone"
    rows = [
        "m6i.2xlarge,0.4,0.1,us-east-1,use1-az1",
        "m6i.2xlarge,0.4,0.05,us-east-1,use1-atl2-az1",
        "c6in.2xlarge,0.5,0.2,us-east-1,use1-az1",
        "t3.nano,0.5,0.2,us-east-1,use1-az1",
    ]
    table.write_text("\n".join([head, *rows]))

    assert price_table.spot_samples(table) == {
        "m6i.2xlarge": {"us-east-1": {"onDemand": 0.4, "spot": {"use1-az1": 0.1}}},
        "c6in.2xlarge": {"us-east-1": {"onDemand": 0.5, "spot": {"use1-az1": 0.2}}},
    }
    table.write_text(head)
    with pytest.raises(ValueError, match="has no row of"):
        price_table.spot_samples(table)
