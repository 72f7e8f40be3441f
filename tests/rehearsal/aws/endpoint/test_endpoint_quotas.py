"""Quotas: Service Quotas tells them, EC2 and EKS refuse beyond them."""

import pytest
from moto.ec2.models import ec2_backends

from tests.rehearsal.aws.endpoint.conftest import ACCOUNT, REGION, refused


def told(aws, service, code, *, default=False):
    asked = {"ServiceCode": service, "QuotaCode": code}
    quotas = aws.client("service-quotas")
    ask = quotas.get_aws_default_service_quota if default else quotas.get_service_quota
    return ask(**asked)["Quota"]


@pytest.mark.behaviour("spot-vcpu-quota", "fargate-quota-and-capacity")
def test_an_account_may_have_more_than_the_default_and_a_new_one_has_no_value_of_its_own(bare_aws):
    assert told(bare_aws, "ec2", "L-34B43A08")["Value"] > 5  # noqa: PLR2004
    assert told(bare_aws, "ec2", "L-34B43A08", default=True)["Value"] == 5  # noqa: PLR2004
    usage = told(bare_aws, "fargate", "L-3032A538")["UsageMetric"]
    assert usage["MetricDimensions"]["Service"] == "Fargate"

    del bare_aws.quotas.values["L-34B43A08"]

    code = "NoSuchResourceException"
    assert refused(lambda: told(bare_aws, "ec2", "L-34B43A08")).startswith(code)
    assert refused(lambda: told(bare_aws, "ec2", "L-00000000")).startswith(code)
    # IAM has no regions: only us-east-1 tells its quotas.
    assert refused(lambda: told(bare_aws, "iam", "L-858F3967")).startswith(code)


MADE = {
    "L-0263D0A3": (
        "addresses",
        lambda aws: aws.client("ec2").allocate_address(Domain="vpc"),
        "AddressLimitExceeded: The maximum number of addresses has been reached.",
    ),
    "L-F678F1CE": (
        "vpcs",
        lambda aws: aws.client("ec2").create_vpc(CidrBlock="10.99.0.0/16"),
        "VpcLimitExceeded: The maximum number of VPCs has been reached.",
    ),
    "L-A4707A72": (
        "internet_gateways",
        lambda aws: aws.client("ec2").create_internet_gateway(),
        "InternetGatewayLimitExceeded",
    ),
}


@pytest.mark.behaviour("eip-and-vpc-quota")
@pytest.mark.parametrize("code", MADE)
def test_one_more_than_the_quota_is_refused(bare_aws, code):
    kind, make, words = MADE[code]
    ec2 = ec2_backends[ACCOUNT][REGION]
    bare_aws.quotas.values[code] = len(getattr(ec2, kind)) + 1

    make(bare_aws)

    assert refused(lambda: make(bare_aws)).startswith(words)
    bare_aws.quotas.values[code] += 1
    make(bare_aws)


@pytest.mark.behaviour("eip-and-vpc-quota")
def test_a_zone_takes_so_many_nat_gateways_and_another_zone_has_its_own(aws):
    ec2 = aws.client("ec2")
    first, second, _ = aws.subnets
    aws.quotas.values["L-FE5A380F"] = 1
    there = ec2.describe_nat_gateways()["NatGateways"]
    zones = {subnet["SubnetId"]: subnet for subnet in ec2.describe_subnets()["Subnets"]}
    used = {zones[gateway["SubnetId"]]["AvailabilityZone"] for gateway in there}
    assert not used & {zones[subnet]["AvailabilityZone"] for subnet in (first, second)}

    made = [
        ec2.create_nat_gateway(SubnetId=each, ConnectivityType="private")
        for each in (first, second)
    ]

    words = "NatGatewayLimitExceeded: Performing this operation would exceed the limit of 1 NAT"
    assert refused(
        lambda: ec2.create_nat_gateway(SubnetId=first, ConnectivityType="private")
    ).startswith(words)
    for gateway in made:
        ec2.delete_nat_gateway(NatGatewayId=gateway["NatGateway"]["NatGatewayId"])


@pytest.mark.behaviour("security-group-quotas")
def test_one_more_security_group_than_the_quota_is_refused(aws):
    ec2 = aws.client("ec2")
    group = {"Description": "-", "VpcId": aws.vpc}
    aws.quotas.values["L-E79EC296"] = len(ec2.describe_security_groups()["SecurityGroups"]) + 1

    ec2.create_security_group(GroupName="one", **group)

    words = "SecurityGroupLimitExceeded: The maximum number of security groups has been reached"
    assert refused(lambda: ec2.create_security_group(GroupName="two", **group)).startswith(words)


@pytest.mark.behaviour("cluster-zone-not-supported")
def test_a_cluster_is_refused_in_a_zone_without_eks_whatever_its_letter(aws, monkeypatch):
    # One object for the whole process: monkeypatch gives it back as it was.
    zone = ec2_backends[ACCOUNT][REGION].get_subnet(aws.subnets[1])._availability_zone
    with monkeypatch.context() as patch:
        patch.setattr(zone, "zone_id", "use1-az3")

        words = refused(aws.create_cluster)

    assert words.startswith(
        "UnsupportedAvailabilityZoneException: Cannot create cluster 'demo' because "
        f"{REGION}b, the targeted availability zone, does not currently have sufficient capacity"
    )
    aws.create_cluster()


@pytest.mark.behaviour("fargate-profile-quota")
def test_the_eleventh_fargate_profile_is_refused(aws):
    aws.create_cluster()
    role = aws.role("eks-fargate-pods.amazonaws.com", "AmazonEKSFargatePodExecutionRolePolicy")

    def profile(number):
        aws.eks.create_fargate_profile(
            clusterName="demo",
            fargateProfileName=f"profile-{number}",
            podExecutionRoleArn=role,
            subnets=aws.subnets,
            selectors=[{"namespace": f"team-{number}"}],
        )

    for number in range(10):
        profile(number)

    assert refused(lambda: profile(10)).startswith("ResourceLimitExceededException")


def test_minors_are_offered_with_their_support(bare_aws):
    found = bare_aws.eks.describe_cluster_versions()["clusterVersions"]

    assert {each["clusterVersion"]: each["versionStatus"] for each in found} == {
        "1.35": "STANDARD_SUPPORT", "1.34": "STANDARD_SUPPORT", "1.33": "EXTENDED_SUPPORT",
    }  # fmt: skip
    only = bare_aws.eks.describe_cluster_versions(clusterVersions=["1.34"])["clusterVersions"]
    assert [each["clusterVersion"] for each in only] == ["1.34"]
