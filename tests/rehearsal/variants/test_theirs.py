"""Networks and clusters of somebody else: what a preview asks of them, and what they become."""

import pytest

from rehearsal.state import ROOT
from tests.rehearsal.variants.stage import Refused
from tests.rehearsal.variants.theirs import BY_ENDPOINT, MISSING, REGION

pytestmark = pytest.mark.engine


def refused(preview: Refused, *sentences: str) -> None:
    """It ends with an exit code of its own, tells each of these once, and shows no traceback."""
    assert preview.exit_code == 1
    assert "Traceback" not in preview.told
    assert str(ROOT) not in preview.told
    told = " ".join(preview.told.split())
    assert {sentence: told.count(sentence) for sentence in sentences} == dict.fromkeys(sentences, 1)


@pytest.mark.feature("B-08", "B-10")
def test_a_network_that_does_not_fit_is_told_with_all_that_is_wrong(tenant):
    first, beside = tenant.theirs.private[0], tenant.theirs.beside

    refused(
        tenant.unfit,
        f"{tenant.theirs.vpc} does not fit the cluster:",
        f"network.privateSubnetIds: all lie in {REGION}a, and EKS wants two zones: "
        "add a subnet of another zone",
        f"network.publicSubnetIds[0]: {MISSING} does not exist in this account and region",
        f"network.privateSubnetIds[0]: {first} lacks tags: set network.tagSubnets: true, or `aws "
        f"ec2 create-tags --resources {first} --tags",
        f"network.privateSubnetIds[1]: {beside} lacks tags",
        "network.wayOut: the VPC has no endpoint com.amazonaws.eu-west-1.ecr.dkr, which pods "
        "without internet need: `aws ec2 create-vpc-endpoint",
        "the VPC has no endpoint com.amazonaws.eu-west-1.s3",
    )


@pytest.mark.feature("A0-09")
def test_a_cluster_that_lacks_something_is_told_with_the_command_that_mends_it(tenant):
    refused(
        tenant.no_cluster,
        "cluster.existing: AWS does not tell of a cluster nowhere in eu-west-1: `aws eks "
        "list-clusters --region eu-west-1` names those that are there",
    )
    refused(
        tenant.no_provider,
        "cluster.existing: IAM has no OIDC provider for https://oidc.eks.eu-west-1",
        "`aws iam create-open-id-connect-provider --url https://oidc.eks.eu-west-1",
    )
    refused(
        tenant.no_agent,
        "cluster.existing: the cluster theirs has no add-on eks-pod-identity-agent",
        "`aws eks create-addon --region eu-west-1 --cluster-name theirs --addon-name "
        "eks-pod-identity-agent` installs it",
    )


@pytest.mark.feature("A2-38")
def test_a_domain_without_a_zone_is_told_at_preview(tenant):
    told = tenant.no_zone.diagnostics()

    assert not tenant.no_zone.succeeded
    assert (
        told.count("addons.externalDns.zones[0]: there is no public hosted zone example.org") == 1
    )
    assert "in account 111122223333: make it, or correct the name" in told
    assert not [message.text for message in tenant.no_zone.messages if "Traceback" in message.text]


@pytest.mark.feature("B-10", "B-09")
def test_a_network_without_nat_shows_the_endpoints_that_the_add_ons_need(tenant):
    made = [step for step in tenant.isolated.steps if step.op == "create"]
    endpoints = {
        step.name.removeprefix("network-")
        for step in made
        if step.type == "aws:ec2/vpcEndpoint:VpcEndpoint"
    }

    assert tenant.isolated.succeeded, tenant.isolated.diagnostics()
    assert endpoints == BY_ENDPOINT | {"elasticloadbalancing", "elasticfilesystem"}
    assert not [step.type for step in made if "natGateway" in step.type]


@pytest.mark.feature("B-08", "B-11")
def test_a_cluster_goes_into_a_network_that_exists_and_leaves_it_as_it_was(tenant):
    theirs, tags = tenant.theirs, tenant.tags
    shared = {"kubernetes.io/cluster/tenant": "shared"}
    made = {step.type for step in tenant.up.steps if step.op == "create"}

    assert (tenant.where["vpcId"], sorted(tenant.where["subnetIds"])) == (
        theirs.vpc,
        sorted(theirs.private),
    )
    assert not {kind for kind in made if "vpc:Vpc" in kind or "subnet:" in kind or "oute" in kind}
    assert tags[theirs.public] == shared | {"kubernetes.io/role/elb": "1"}
    for subnet in theirs.private:
        assert tags[subnet].items() >= (shared | {"kubernetes.io/role/internal-elb": "1"}).items()
    assert tenant.again.is_empty
    assert set(map(str, tenant.tags_after.values())) == {"{}"}
    assert tenant.left == []
