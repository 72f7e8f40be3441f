"""The price lists: those that ship, and those that cannot be used."""

import json
import re
from statistics import fmean
from typing import get_args

import pytest

from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.prices import FOLDER, Service, UnknownPrice, prices, regions


def content(region):
    return json.loads((FOLDER / f"{region}.json").read_text())


@pytest.mark.parametrize("region", ["eu-west-1", "us-east-1"])
def test_a_list_that_ships_has_every_service_with_its_source(region):
    found = content(region)

    assert set(found["services"]) == set(get_args(Service))
    for price in found["services"].values():
        assert price["usd"] > 0
        assert bool(price["date"]) != ("without a date" in price["source"])
        assert re.search(r"aws\.amazon\.com/|AWS price list|a bill of", price["source"])
    assert all(usd > 0 for each in found["onDemand"] for usd in each["usd"].values())


def test_both_regions_ship():
    assert regions() == ["eu-west-1", "us-east-1"]


def test_what_is_reckoned_follows_the_rule_that_its_source_tells():
    """us-east-1 x what the listed sizes of the family cost more in eu-west-1."""
    home = content("us-east-1")["onDemand"][0]["usd"]
    *listed, reckoned = content("eu-west-1")["onDemand"]
    family = re.compile(r"[^.]+")
    levels: dict[str, list[float]] = {}
    for name, usd in {k: v for each in listed for k, v in each["usd"].items()}.items():
        if name in home:
            levels.setdefault(family.match(name)[0], []).append(usd / home[name])

    assert reckoned["reckoned"]
    for name, usd in reckoned["usd"].items():
        level = fmean(levels[family.match(name)[0]])
        assert usd == pytest.approx(home[name] * level, rel=0.004), name
    # A price that was read wins over one that was reckoned.
    assert prices("eu-west-1").on_demand("c7g.2xlarge") == (0.3101, False)
    assert prices("eu-west-1").on_demand("m6a.large").reckoned


def test_spot_is_reckoned_by_family_where_it_is_not_known():
    known = prices("eu-west-1")

    assert known.spot("m6i.2xlarge") == (
        pytest.approx((0.2376 + 0.265 + 0.2046) / 3, abs=1e-6),
        False,
    )
    assert known.spot("c5.xlarge") == (pytest.approx(0.192 * 0.4924, abs=1e-6), True)
    assert known.spot("r5.xlarge") == (pytest.approx(0.282 * 0.5508, abs=1e-6), True)
    with pytest.raises(UnknownPrice, match=r"^the price of x9z\.large on demand in eu-west-1$"):
        known.spot("x9z.large")


def test_a_missing_service_is_named_and_in_no_sum(prices_in, price_list, resource, estimated):
    del price_list["services"]["natHour"]

    found = estimated(resource("aws:ec2/natGateway:NatGateway"), folder=prices_in())

    assert [line.what for line in found.lines] == ["100 GB through NAT"]
    assert [each.what for each in found.unknown] == [
        "NAT gateway: the price of natHour in eu-west-1"
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text[:300], "is cut off or no JSON (line "),
        (lambda _: "", "is cut off or no JSON (line 1: Expecting value)"),
        (lambda text: text.replace('"usd": 0.1,', '"usd": 0,', 1), "services.eksHour.usd: input "),
        (
            lambda text: text.replace('"natHour"', '"natHours"'),
            "services.natHours.[key]: input should be 'eksHour'",
        ),
        (lambda text: text.replace('"region": "eu-west-1"', '"regio": ""'), "region: field req"),
        (
            lambda text: text.replace('"region": "eu-west-1"', '"region": "eu-west-2"'),
            "region: is eu-west-2, which is not the file's name",
        ),
    ],
)
def test_a_damaged_list_is_one_sentence_with_a_remedy(tmp_path, price_list, change, problem):
    file = tmp_path / "eu-west-1.json"
    file.write_text(change(json.dumps(price_list)))

    with pytest.raises(CostError) as refused:
        prices("eu-west-1", tmp_path)

    assert str(refused.value).startswith(f"{file}: {problem}")
    assert str(refused.value).endswith(
        "restore it from version control, or make it anew with "
        "`./frugal-eks prices --region eu-west-1`"
    )
    assert "\n" not in str(refused.value)
