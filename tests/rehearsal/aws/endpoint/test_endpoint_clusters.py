import pytest
from botocore.exceptions import ClientError

from tests.rehearsal.aws.endpoint.conftest import ACCOUNT, CA, REGION, refused


def test_a_new_cluster_describes_what_eks_makes_of_it(aws):
    cluster = aws.create_cluster(
        upgradePolicy={"supportType": "STANDARD"}, deletionProtection=True, tags={"team": "a"}
    )

    assert cluster["status"] == "ACTIVE"
    assert cluster["arn"] == f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/demo"
    assert cluster["endpoint"] == "https://127.0.0.1:6443"
    assert cluster["certificateAuthority"] == {"data": CA}
    issuer = cluster["identity"]["oidc"]["issuer"]
    assert issuer.startswith(f"https://oidc.eks.{REGION}.amazonaws.com/id/")
    assert cluster["resourcesVpcConfig"]["vpcId"] == aws.vpc
    assert cluster["resourcesVpcConfig"]["publicAccessCidrs"] == ["0.0.0.0/0"]
    assert cluster["accessConfig"] == {
        "authenticationMode": "API",
        "bootstrapClusterCreatorAdminPermissions": False,
    }
    assert cluster["upgradePolicy"] == {"supportType": "STANDARD"}
    assert cluster["deletionProtection"] is True
    assert cluster["tags"] == {"team": "a"}


def test_the_service_range_keeps_away_from_the_vpc(aws):
    cluster = aws.create_cluster()

    assert cluster["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "172.20.0.0/16"


def test_eks_makes_the_cluster_security_group_and_takes_it_away(aws):
    group_id = aws.create_cluster()["resourcesVpcConfig"]["clusterSecurityGroupId"]

    (group,) = aws.client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
    tags = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
    assert group["GroupName"].startswith("eks-cluster-sg-demo-")
    assert tags["Name"] == group["GroupName"]
    assert tags["aws:eks:cluster-name"] == "demo"
    assert tags["kubernetes.io/cluster/demo"] == "owned"

    aws.eks.delete_cluster(name="demo")
    with pytest.raises(ClientError, match="No cluster found for name: demo"):
        aws.eks.describe_cluster(name="demo")
    with pytest.raises(ClientError, match=r"InvalidGroup\.NotFound"):
        aws.client("ec2").describe_security_groups(GroupIds=[group_id])


def test_eks_makes_the_log_group_if_there_is_none(aws):
    logging = {"clusterLogging": [{"types": ["audit"], "enabled": True}]}

    aws.eks.create_cluster(**aws.cluster_arguments(name="logged", logging=logging))

    prefix = "/aws/eks/logged/cluster"
    groups = aws.client("logs").describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]
    assert [group["logGroupName"] for group in groups] == [prefix]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"roleArn": f"arn:aws:iam::{ACCOUNT}:role/nobody"},
            "InvalidParameterException: Role with arn: "
            f"arn:aws:iam::{ACCOUNT}:role/nobody, could not be assumed",
        ),
        ({"version": "9.99"}, "InvalidParameterException: unsupported Kubernetes version: 9.99"),
        ({"name": "no spaces"}, "InvalidParameterException: Value 'no spaces' at 'name'"),
        (
            {"upgradePolicy": {"supportType": "FOREVER"}},
            "InvalidParameterException: Value 'FOREVER' at 'upgradePolicy.supportType'",
        ),
        (
            {"resourcesVpcConfig": {"subnetIds": ["subnet-0", "subnet-1"]}},
            "InvalidParameterException: The subnet ID 'subnet-0' does not exist",
        ),
        (
            {
                "encryptionConfig": [
                    {"resources": ["secrets"], "provider": {"keyArn": "arn:aws:kms:r:1:key/k"}}
                ]
            },
            "InvalidParameterException: KMS key ARN 'arn:aws:kms:r:1:key/k' is not valid",
        ),
        (
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.20.0.0/20"}},
            "InvalidParameterException: serviceIpv4Cidr 10.20.0.0/20 must not overlap",
        ),
        (
            {"computeConfig": {"enabled": True}},
            "InvalidParameterException: The rehearsal does not play computeConfig",
        ),
    ],
)
def test_a_cluster_that_aws_would_refuse_is_refused(aws, changes, problem):
    arguments = aws.cluster_arguments(**changes)

    assert refused(lambda: aws.eks.create_cluster(**arguments)).startswith(problem)
    assert aws.eks.list_clusters()["clusters"] == []


def test_a_role_for_another_service_cannot_be_assumed(aws):
    role = aws.role("ec2.amazonaws.com", "AmazonEKSClusterPolicy")

    problem = refused(lambda: aws.create_cluster(roleArn=role))

    assert problem.endswith("it does not exist or the trusted entity is not correct")


def test_a_role_without_policies_cannot_run_a_cluster(aws):
    problem = refused(lambda: aws.create_cluster(roleArn=aws.role("eks.amazonaws.com")))

    assert "[arn:aws:iam::aws:policy/AmazonEKSClusterPolicy] are attached" in problem


def test_subnets_must_lie_in_two_zones_of_one_vpc(aws):
    one_zone = {"subnetIds": aws.subnets[:1]}
    other = aws.client("ec2").create_vpc(CidrBlock="10.30.0.0/16")["Vpc"]["VpcId"]
    two_vpcs = {"subnetIds": [aws.subnets[0], aws.subnet("10.30.0.0/24", "b", other)]}

    assert refused(lambda: aws.create_cluster(resourcesVpcConfig=one_zone)).endswith(
        "Subnets specified must be in at least two different AZs"
    )
    assert "must all belong to one VPC" in refused(
        lambda: aws.create_cluster(resourcesVpcConfig=two_vpcs)
    )


@pytest.mark.parametrize(
    ("access", "problem"),
    [
        (
            {"endpointPublicAccess": False, "endpointPrivateAccess": False},
            "cannot both be false",
        ),
        (
            {
                "endpointPublicAccess": False,
                "endpointPrivateAccess": True,
                "publicAccessCidrs": ["203.0.113.0/24"],
            },
            "cannot be set when public endpoint access is disabled",
        ),
        ({"publicAccessCidrs": ["10.0.0.0/8"]}, "they are private: ['10.0.0.0/8']"),
        ({"publicAccessCidrs": ["nonsense"]}, "invalid in publicAccessCidrs: ['nonsense']"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused(aws, access, problem):
    vpc = {"subnetIds": aws.subnets, **access}

    assert refused(lambda: aws.create_cluster(resourcesVpcConfig=vpc)).endswith(problem)


def test_a_second_cluster_of_that_name_is_in_use(aws):
    aws.create_cluster()

    assert refused(aws.create_cluster) == (
        "ResourceInUseException: Cluster already exists with name: demo"
    )


def test_without_an_api_server_there_is_no_cluster(aws):
    aws.kubernetes.down = True

    problem = refused(aws.create_cluster)

    assert problem == "InvalidRequestException: The rehearsal's API server is down"
    assert aws.eks.list_clusters()["clusters"] == []


def test_deletion_protection_protects(aws):
    aws.create_cluster(deletionProtection=True)

    assert refused(lambda: aws.eks.delete_cluster(name="demo")).startswith(
        "InvalidRequestException: Cannot delete cluster demo: deletion protection is enabled"
    )
    aws.eks.update_cluster_config(name="demo", deletionProtection=False)
    aws.eks.delete_cluster(name="demo")
    assert aws.eks.list_clusters()["clusters"] == []


def test_subnets_hold_an_interface_of_the_control_plane_while_it_lives(aws):
    aws.create_cluster()
    of_cluster = [{"Name": "vpc-id", "Values": [aws.vpc]}]

    def interfaces() -> list[str]:
        found = aws.client("ec2").describe_network_interfaces(Filters=of_cluster)
        return [one["SubnetId"] for one in found["NetworkInterfaces"]]

    assert sorted(interfaces()) == sorted(aws.subnets)
    aws.eks.delete_cluster(name="demo")
    aws.eks.list_clusters()
    assert interfaces() == []


def test_a_cluster_is_creating_before_it_is_active(aws):
    aws.eks_state.moment = 60

    created = aws.eks.create_cluster(**aws.cluster_arguments())["cluster"]

    assert created["status"] == "CREATING"
    assert refused(
        lambda: aws.eks.create_access_entry(clusterName="demo", principalArn=created["roleArn"])
    ).endswith("it is CREATING")


def test_an_operation_that_is_not_played_says_so(aws):
    problem = refused(lambda: aws.eks.register_cluster(
        name="x", connectorConfig={"roleArn": f"arn:aws:iam::{ACCOUNT}:role/r", "provider": "OTHER"}
    ))  # fmt: skip

    assert problem.startswith("InvalidRequestException: The rehearsal does not play eks:Register")
