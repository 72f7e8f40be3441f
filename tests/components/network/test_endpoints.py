import pytest

from components.location import Location
from components.network.endpoints import base_endpoints, missing_endpoints, service_name

IRELAND = Location(region="eu-west-1", account="111122223333")
BEIJING = Location(region="cn-north-1", account="111122223333")


@pytest.mark.feature("B-10")
def test_a_cluster_without_internet_needs_karpenter_s_list_and_with_nodes_pod_identity():
    fargate = ("ec2", "ecr.api", "ecr.dkr", "eks", "logs", "sqs", "ssm", "sts")

    assert base_endpoints(has_nodes=False) == fargate
    assert base_endpoints(has_nodes=True) == (*fargate[:4], "eks-auth", *fargate[4:])


@pytest.mark.parametrize(
    ("given", "needed", "missing"),
    [
        (("sts", "ec2"), ("ec2", "sts"), ()),
        (("kms",), ("ec2", "sts"), ("ec2", "sts")),
        (("ec2",), ("sts", "ec2", "sts", "efs"), ("sts", "efs")),
        ((), (), ()),
    ],
)
def test_what_is_missing_is_told_once_and_in_the_order_of_what_is_needed(given, needed, missing):
    assert missing_endpoints(given, needed) == missing


@pytest.mark.parametrize(
    ("location", "service", "name"),
    [
        (IRELAND, "ecr.api", "com.amazonaws.eu-west-1.ecr.api"),
        (IRELAND, "s3", "com.amazonaws.eu-west-1.s3"),
        (BEIJING, "ecr.api", "cn.com.amazonaws.cn-north-1.ecr.api"),
        (BEIJING, "s3", "com.amazonaws.cn-north-1.s3"),
    ],
)
def test_china_has_names_of_its_own_but_for_s3(location, service, name):
    assert service_name(location, service) == name
