"""The most that a month may cost, against the budget."""

import pytest

from frugal_eks.plans.policy.rules.budget import RULES
from tests.frugal_eks.plans.policy.cases import CLUSTER, NODE_CLASS, POOL, cluster
from tests.frugal_eks.plans.policy.programs import resource, told

REGION = "eu-west-1"
REMEDY = f": {RULES[0].remedy}."
NAT = resource("aws:ec2/natGateway:NatGateway", {"connectivityType": "public"}, "nat")
CONTROL_PLANE = resource(CLUSTER, cluster(upgradePolicy={"supportType": "STANDARD"}), "cluster")


def pool(cpu, name="pool"):
    requirements = [
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["m5.large"]},
    ]
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    spec = {"template": {"spec": {"requirements": requirements, "nodeClassRef": reference}}}
    inputs = {"metadata": {"name": name}, "spec": spec | ({"limits": {"cpu": cpu}} if cpu else {})}
    return resource(POOL, inputs, name)


def node_class():
    spec = {
        "amiSelectorTerms": [{"alias": "al2023@v20260930"}],
        "blockDeviceMappings": [{"ebs": {"volumeSize": "20Gi", "volumeType": "gp3"}}],
    }
    return resource(NODE_CLASS, {"metadata": {"name": "default"}, "spec": spec}, "class")


@pytest.mark.feature("C-14")
def test_a_change_that_passes_the_budget_is_refused_until_the_budget_is_raised():
    """A control plane costs 0.10 USD an hour, 73 a month, and 500 vCPUs of spot far more."""
    before, after = [CONTROL_PLANE], [CONTROL_PLANE, node_class(), pool("500")]
    where = {"region": REGION}

    assert told("over-budget", *before, monthly_budget_usd=100, **where) == []
    (text,) = told("over-budget", *after, monthly_budget_usd=100, **where)
    assert text.startswith("up to ")
    assert text.endswith(f"; the budget is 100{REMEDY}")
    assert told("over-budget", *after, monthly_budget_usd=50_000, **where) == []


@pytest.mark.feature("C-14")
def test_a_pool_without_a_limit_fits_no_budget():
    resources = [CONTROL_PLANE, node_class(), pool(None, "endless"), pool("10", "small")]
    texts = told("over-budget", *resources, monthly_budget_usd=1_000_000, region=REGION)

    assert texts == [
        f"endless has no limit, which no budget allows (1,000,000 USD a month){REMEDY}"
    ]


@pytest.mark.feature("C-14")
def test_what_has_no_known_price_fits_no_budget():
    group = {"scalingConfig": {"maxSize": 2, "minSize": 1, "desiredSize": 1}}
    one = resource("aws:eks/nodeGroup:NodeGroup", group | {"instanceTypes": ["m99.huge"]}, "odd")
    texts = told("over-budget", one, monthly_budget_usd=1_000_000, region=REGION)

    assert texts
    assert all(text.startswith("odd: ") for text in texts)
    assert all(text.endswith(f" is unknown, and unknown is not nothing{REMEDY}") for text in texts)


def test_without_a_budget_nothing_is_reckoned():
    assert told("over-budget", pool(None), region=REGION) == []


def test_without_a_region_nothing_can_be_compared():
    assert told("over-budget", NAT, monthly_budget_usd=100) == [
        f"no region is known, so nothing can be compared with 100 USD{REMEDY}"
    ]


def test_the_parts_that_cost_most_are_named():
    (text,) = told("over-budget", CONTROL_PLANE, monthly_budget_usd=10, region=REGION)

    assert text.startswith("up to 73 USD a month (outside components 73), expected 73;")
