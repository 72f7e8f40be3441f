"""Resources and price lists that tests write down."""

import itertools
import json
from collections.abc import Callable

import pytest

from frugal_eks.plans.cost import estimate
from frugal_eks.plans.cost.prices import PriceList
from frugal_eks.plans.previews import Resource

REGION = "eu-west-1"
PREFIX = "urn:pulumi:dev::frugal-eks"
_numbers = itertools.count()

SERVICES = {
    "eksHour": 0.10, "eksExtendedHour": 0.50, "fargateVcpuHour": 0.04, "fargateGbHour": 0.004,
    "natHour": 0.05, "natGb": 0.05, "publicIpv4Hour": 0.005, "gp2GbMonth": 0.11,
    "gp3GbMonth": 0.10, "kmsKeyMonth": 1, "logsIngestedGb": 0.5, "logsStoredGbMonth": 0.03,
    "loadBalancerHour": 0.02, "networkLoadBalancerHour": 0.03, "endpointHour": 0.01,
    "efsGbMonth": 0.3, "hostedZoneMonth": 0.5,
}  # fmt: skip
ON_DEMAND = {
    "m5.large": 0.10, "m5a.large": 0.08, "m5n.large": 0.12, "c5.xlarge": 0.16, "c5n.xlarge": 0.20,
    "c5d.xlarge": 0.30, "m5.xlarge": 0.20, "r5.xlarge": 0.25, "t4g.nano": 0.004,
    "c7g.large": 0.07,
}  # fmt: skip


@pytest.fixture
def resource() -> Callable[..., Resource]:
    """A resource by its type, name and inputs."""

    def made(kind, name="it", inputs=None, **more):
        urn = f"{PREFIX}::part{next(_numbers)}${kind}::{name}"
        return Resource(urn=more.pop("urn", urn), type=kind, inputs=inputs or {}, **more)

    return made


@pytest.fixture
def price_list() -> dict:
    """A whole list with round prices; the test's own copy."""
    price = {"date": "2026-01-01", "source": "a test"}
    return {
        "region": REGION,
        "services": {name: {"usd": usd, **price} for name, usd in SERVICES.items()},
        "onDemand": [{**price, "usd": ON_DEMAND}],
        "spot": [{**price, "usd": {"m5.large": 0.04, "m5a.large": 0.03}}],
        "spotShares": [{**price, "share": 0.5}],
    }


@pytest.fixture
def prices_in(tmp_path, price_list) -> Callable[..., object]:
    """A folder with that list, or with one that is changed."""

    def written(**changed):
        content = price_list | changed
        PriceList.model_validate(content)
        (tmp_path / f"{content['region']}.json").write_text(json.dumps(content))
        return tmp_path

    return written


@pytest.fixture
def estimated(prices_in):
    """The estimate of resources at those prices."""

    def made(*resources, folder=None, region=REGION, assumptions=None):
        return estimate(resources, region, assumptions, folder or prices_in())

    return made
