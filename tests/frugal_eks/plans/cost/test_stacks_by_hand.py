"""Each stack that ships, reckoned by hand. Prices: price_lists/eu-west-1.json."""

import re
from functools import cache
from pathlib import Path

import pytest

from frugal_eks.inputs import stack_file
from frugal_eks.plans.cost import Assumptions, estimate
from frugal_eks.plans.cost.stacks import read_stack

ROOT = Path(__file__).parents[4]
HOURS = 730

# The same in all three.
CONTROL_PLANE = 0.10 * HOURS
NAT = 0.048 * HOURS + 100 * 0.048  # 100 GB, which --nat-gb changes
ADDRESS = 0.005 * HOURS
LOGS = 5 * 0.57 + 5 * 0.03 * 30 / 30  # 5 GB in, kept for 30 days of 30
KEY = 1.0
VOLUME = 20 * 0.088


@cache
def declared(stack):
    return read_stack(stack_file(stack))


def reckoned(stack, assumptions=None):
    found = declared(stack)
    return estimate(found.resources, found.region, assumptions)


def ends(amount):
    return pytest.approx((amount.low, amount.expected, amount.high), abs=0.005)


def kinds(told):
    return {kind: (each.low, each.expected, each.high) for kind, each in told.by_kind.items()}


def fixed(usd):
    return pytest.approx((usd, usd, usd), abs=0.005)


@pytest.mark.feature("C-13")
def test_nodeless():
    karpenter = 2 * (1 * 0.04048 + 2 * 0.004445) * HOURS  # 1 vCPU, 1 + 0.25 GiB: 2 GB
    # CoreDNS 2, Load Balancer Controller, ExternalDNS, EFS controller, metrics-server, kube-ops-
    # view: 250m, 256M + 256 MiB = 500 MiB, so 0.5 GB.
    small = 7 * (0.25 * 0.04048 + 0.5 * 0.004445) * HOURS
    # Two pause pods of 1 vCPU and 1.5 GiB want 4 vCPU; c6a.xlarge costs 0.16416 on demand, and
    # spot of a c type 0.4924 of that.
    expected = 0.16416 * 0.4924 * HOURS + VOLUME
    # 1000 GiB of limit: c5.9xlarge has 72 GiB, of which Karpenter counts 92.5 %: 15 of them.
    most = 15 * (1.728 * HOURS + VOLUME)

    told = reckoned("nodeless")

    assert kinds(told) == {
        "control plane": fixed(CONTROL_PLANE),
        "Fargate pods": fixed(karpenter + small),
        "Karpenter's nodes": pytest.approx((0, expected, most), abs=0.005),
        "NAT": fixed(NAT),
        "public addresses": fixed(ADDRESS),
        "load balancers": fixed(0.0252 * HOURS),
        "logs": fixed(LOGS),
        "keys": fixed(KEY),
    }
    assert told.total.expected == pytest.approx(334.80, abs=0.01)
    assert told.unknown == ()


@pytest.mark.feature("C-13")
def test_spot():
    # m6a, m5a, m6i: the first is what EKS takes.
    base = (2 * 0.096 * HOURS, 3 * 0.0963 * HOURS, 4 * 0.107 * HOURS)
    seven = (0.107, 0.111, 0.126, 0.096, 0.115, 0.133, 0.152)  # m5 m4 m5d m5a m5ad m5n m5dn
    share = 0.5508
    spot = (
        2 * min(seven) * share * HOURS,
        2 * sum(seven) / 7 * share * HOURS,
        5 * max(seven) * HOURS,  # EC2 takes no more than on demand
    )

    told = reckoned("spot")

    assert kinds(told) == {
        "control plane": fixed(CONTROL_PLANE),
        "nodes on demand": pytest.approx(base, abs=0.005),
        "spot nodes": pytest.approx(spot, abs=0.005),
        "volumes": pytest.approx((4 * VOLUME, 5 * VOLUME, 9 * VOLUME), abs=0.005),
        "NAT": fixed(NAT),
        "public addresses": fixed(ADDRESS),
        "logs": fixed(LOGS),
        "keys": fixed(KEY),
    }
    assert told.total.expected == pytest.approx(436.69, abs=0.01)
    (group,) = [each for each in told.lines if each.kind == "spot nodes"]
    assert group.note.startswith(f"the same on demand: {2 * sum(seven) / 7 * HOURS:.2f}; ")


@pytest.mark.feature("C-13")
def test_consolidation():
    # c7g, c6g, m7g: the first, the cheapest, the dearest.
    base = (2 * 0.073 * HOURS, 2 * 0.0775 * HOURS, 3 * 0.091 * HOURS)
    most = 15 * (1.728 * HOURS + VOLUME)  # as in nodeless; inflate has no pods

    told = reckoned("consolidation")

    assert kinds(told) == {
        "control plane": fixed(CONTROL_PLANE),
        "nodes on demand": pytest.approx(base, abs=0.005),
        "Karpenter's nodes": pytest.approx((0, 0, most), abs=0.005),
        "volumes": pytest.approx((2 * VOLUME, 2 * VOLUME, 3 * VOLUME), abs=0.005),
        "NAT": fixed(NAT),
        "public addresses": fixed(ADDRESS),
        "logs": fixed(LOGS),
        "keys": fixed(KEY),
    }
    assert told.total.expected == pytest.approx(237.16, abs=0.01)


@pytest.mark.parametrize("stack", ["nodeless", "spot", "consolidation"])
def test_the_page_of_each_stack_has_the_same_hourly_figures(stack):
    """The pages leave out data, logs and the key: what they name is reckoned an hour."""
    rows = dict(re.findall(r"^\| (.+?) \| (0\.\d+)(?: or so)? \|$", page(stack), re.M))
    told = reckoned(stack, Assumptions(nat_gb=0, log_gb=0))

    assert rows
    hourly = (told.total.expected - KEY) / HOURS
    assert sum(map(float, rows.values())) == pytest.approx(hourly, abs=0.005)
    assert f"about {hourly:.2f} USD an hour" in (ROOT / f"stacks/Pulumi.{stack}.yaml").read_text()


def page(stack):
    text = (ROOT / f"docs/{stack}.md").read_text()
    return text[text.index("## What it costs") :].partition("\n## ")[0]
