import pytest

from components.location import Location

ACCOUNT = "111122223333"


@pytest.mark.parametrize(
    ("region", "partition", "suffix"),
    [
        ("eu-west-1", "aws", "amazonaws.com"),
        ("us-east-1", "aws", "amazonaws.com"),
        ("cn-north-1", "aws-cn", "amazonaws.com.cn"),
        ("us-gov-west-1", "aws-us-gov", "amazonaws.com"),
    ],
)
def test_the_region_says_the_partition_and_the_end_of_names(region, partition, suffix):
    location = Location(region=region, account=ACCOUNT)

    assert (location.partition, location.dns_suffix) == (partition, suffix)
    assert location.arn("eks", "cluster/dev") == (
        f"arn:{partition}:eks:{region}:111122223333:cluster/dev"
    )
    assert location.iam_arn("role/dev") == f"arn:{partition}:iam::111122223333:role/dev"
    assert location.managed_policy("service-role/Some") == (
        f"arn:{partition}:iam::aws:policy/service-role/Some"
    )
