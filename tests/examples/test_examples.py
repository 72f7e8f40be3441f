"""Each example is short, and declares what it promises and nothing of the cluster itself."""

import re
import tomllib

import pytest

from rehearsal.recording import Deployment
from rehearsal.recording.account import EXISTING_CLUSTER, REGION
from tests.conftest import ROOT
from tests.examples.checkout import as_in_the_checkout

EXAMPLES = sorted(file.parent.name for file in (ROOT / "examples").glob("*/__main__.py"))
SETTINGS = {
    "aws:region": REGION,
    "frugal-eks:cluster": "shared",
    "frugal-eks:queueName": "shared",
    "frugal-eks:release": "1.34.11-20260930",
}
"""Of all examples; under mocks every project is called frugal-eks."""
GROUP = "aws:autoscaling/group:Group"
LINES = {"interruption-queue": 12, "karpenter": 20, "spot-group": 27}
"""The most that each may have."""
OF_A_CLUSTER = {
    "eks:index:Cluster",
    "aws:eks/cluster:Cluster",
    "aws:eks/addon:Addon",
    "aws:ec2/tag:Tag",
    "aws:ec2/securityGroup:SecurityGroup",
}


@pytest.fixture
def example(deploy, account):
    """Runs an example by its folder's name."""

    def run(name: str, *, preview: bool = False) -> Deployment:
        def program() -> None:
            text = (ROOT / "examples" / name / "__main__.py").read_text()
            exec(compile(as_in_the_checkout(text), name, "exec"), {})

        return deploy(program, account, settings=SETTINGS, preview=preview)

    return run


def test_the_package_is_built_with_the_tool_that_tests_build_it_with():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = (ROOT / "requirements-dev.txt").read_text()

    (tool,) = project["build-system"]["requires"]
    assert re.search(rf"(?m)^{re.escape(tool)} ", needed)


def test_the_three_are_there():
    assert EXAMPLES == ["interruption-queue", "karpenter", "spot-group"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_is_short(name):
    program = ROOT / "examples" / name / "__main__.py"

    assert len(program.read_text().splitlines()) <= LINES[name]


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_declares_resources_and_none_of_the_cluster_s_own(example, name, preview):
    kinds = {each.request.type for each in example(name, preview=preview).declared}

    assert kinds
    assert not kinds & OF_A_CLUSTER


def test_karpenter_looks_for_subnets_and_the_group_of_the_cluster(example):
    declared = example("karpenter")
    spec = declared.one("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass").inputs["spec"]
    (pool,) = declared.every("kubernetes:karpenter.sh/v1:NodePool")

    where = EXISTING_CLUSTER["vpcConfig"]
    assert spec["subnetSelectorTerms"] == [{"id": each} for each in where["subnetIds"]]
    assert spec["securityGroupSelectorTerms"] == [{"id": where["clusterSecurityGroupId"]}]
    spot = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}
    assert spot in pool.inputs["spec"]["template"]["spec"]["requirements"]
    assert declared.one("aws:iam/serviceLinkedRole:ServiceLinkedRole")


@pytest.mark.feature("A0-09")
def test_the_spot_group_joins_the_cluster_by_an_access_entry_of_its_own(example):
    declared = example("spot-group")
    entry = declared.one("aws:eks/accessEntry:AccessEntry").inputs
    group = declared.one(GROUP).inputs

    assert (entry["clusterName"], entry["type"]) == ("shared", "EC2_LINUX")
    assert (group["minSize"], group["maxSize"]) == (2, 5)
    assert group["vpcZoneIdentifiers"] == EXISTING_CLUSTER["vpcConfig"]["subnetIds"]


def test_the_queue_stands_alone_and_hears_of_its_own_rules_only(example):
    declared = example("interruption-queue")

    assert declared.one("aws:sqs/queue:Queue").inputs["name"] == "shared"
    rules = declared.every("aws:cloudwatch/eventRule:EventRule")
    policy = declared.one("aws:sqs/queuePolicy:QueuePolicy").inputs["policy"]
    assert len(rules) == 5  # noqa: PLR2004 (Karpenter's)
    assert all(f"rule/{rule.request.name}" in policy for rule in rules)
    assert {each.request.type.split(":")[0] for each in declared.declared} == {"frugal-eks", "aws"}
