import grpc
import pulumi
import pytest

from components.location import Location
from components.network.config import ExistingNetworkConfig
from components.network.network import Network, NetworkArgs

LOCATION = Location(region="eu-west-1", account="111122223333")
VPC = "vpc-0123456789abcdef0"
FIRST, SECOND, PUBLIC = "subnet-0aaaaaaa", "subnet-0bbbbbbb", "subnet-0ccccccc"
TAG = "aws:ec2/tag:Tag"
ENDPOINT = "aws:ec2/getVpcEndpoint:getVpcEndpoint"
CLUSTER = {"kubernetes.io/cluster/dev": "shared"}
INTERNAL = {
    "kubernetes.io/role/internal-elb": "1",
    "karpenter.sh/discovery": "dev",
} | CLUSTER
INTERNET = {"kubernetes.io/role/elb": "1"} | CLUSTER
PERFECT = {
    FIRST: {"zone": "a", "tags": INTERNAL},
    SECOND: {"zone": "b", "tags": INTERNAL},
    PUBLIC: {"zone": "a", "tags": INTERNET},
}


class Refusal(grpc.RpcError):
    """What a provider answers when it cannot."""

    def __init__(self, told):
        self.told = told

    def code(self):
        return grpc.StatusCode.UNKNOWN

    def details(self):
        return self.told


def network(*, needed=("sts", "ec2"), **settings):
    config = ExistingNetworkConfig(
        vpc_id=VPC, private_subnet_ids=(FIRST, SECOND), public_subnet_ids=(PUBLIC,), **settings
    )
    args = NetworkArgs(
        config=config, cluster_name="dev", location=LOCATION, needed_endpoints=needed
    )
    return Network("net", args)


def existing():
    network()


def answers(subnets=PERFECT, endpoint=lambda _: {"id": "vpce-1"}):
    """An account with these subnets, each with what differs from a plain one."""

    def subnet(query):
        plain = {"vpc": VPC, "tags": {}} | subnets[query["id"]]
        zone = f"eu-west-1{plain['zone']}"
        return {"vpcId": plain["vpc"], "availabilityZone": zone, "tags": plain["tags"]}

    def known(query):
        (asked,) = query["filters"]
        assert asked["name"] == "subnet-id"
        return {"ids": [id_ for id_ in asked["values"] if id_ in subnets]}

    return {
        "aws:ec2/getSubnets:getSubnets": known,
        "aws:ec2/getSubnet:getSubnet": subnet,
        ENDPOINT: endpoint,
    }


def refused(deploy, program, account):
    """What a preview says instead of a plan."""
    with pytest.raises(pulumi.RunError) as error:
        deploy(program, account, preview=True)
    return str(error.value).splitlines()


@pytest.mark.feature("B-08", "A2-18", "B-11")
def test_of_an_existing_vpc_only_the_tags_of_its_subnets_are_made(once, account):
    built = once(existing, account)

    assert {declared.request.type for declared in built.declared} == {
        "frugal-eks:index:Network",
        TAG,
    }
    tags = {}
    for tag in (declared.inputs for declared in built.every(TAG)):
        tags.setdefault(tag["resourceId"], {})[tag["key"]] = tag["value"]
    assert tags == {FIRST: INTERNAL, SECOND: INTERNAL, PUBLIC: INTERNET}


@pytest.mark.feature("B-08")
def test_an_existing_vpc_is_handed_on_as_it_was_given(once, account):
    assert once(existing, account).outputs["net"] == {
        "vpcId": VPC,
        "privateSubnetIds": [FIRST, SECOND],
        "publicSubnetIds": [PUBLIC],
    }


def test_a_preview_shows_what_an_update_makes(once, account):
    assert once(existing, account, preview=True).tree() == once(existing, account).tree()


@pytest.mark.feature("B-08")
def test_the_cluster_and_its_pods_go_to_the_subnets_of_an_existing_vpc(another):
    cluster = another.one("eks:index:Cluster").inputs
    assert (cluster["vpcId"], cluster["privateSubnetIds"]) == (VPC, [FIRST, SECOND])
    profiles = another.every("aws:eks/fargateProfile:FargateProfile")
    assert [profile.inputs["subnetIds"] for profile in profiles] == [[FIRST, SECOND]] * 3
    assert another.every("aws:ec2/vpc:Vpc") == []


@pytest.mark.feature("B-08", "B-11")
def test_subnets_that_carry_their_tags_already_are_left_alone(deploy):
    built = deploy(lambda: network(tag_subnets=False), answers())

    assert built.tree() == ["Network net"]


@pytest.mark.feature("B-08", "B-11")
def test_tags_that_somebody_else_should_have_put_on_are_told_with_the_command(deploy):
    subnets = PERFECT | {
        FIRST: {"zone": "a", "tags": CLUSTER | {"karpenter.sh/discovery": "another"}},
        PUBLIC: {"zone": "c", "tags": {}},
    }

    assert refused(deploy, lambda: network(tag_subnets=False), answers(subnets)) == [
        f"{VPC} does not fit the cluster:",
        f"network.privateSubnetIds[0]: {FIRST} lacks tags: set network.tagSubnets: true, or "
        f"`aws ec2 create-tags --resources {FIRST} --tags "
        "Key=kubernetes.io/role/internal-elb,Value=1 Key=karpenter.sh/discovery,Value=dev`",
        f"network.publicSubnetIds[0]: {PUBLIC} lacks tags: set network.tagSubnets: true, or "
        f"`aws ec2 create-tags --resources {PUBLIC} --tags "
        "Key=kubernetes.io/role/elb,Value=1 Key=kubernetes.io/cluster/dev,Value=shared`",
    ]


def test_other_values_that_aws_reads_the_same_way_will_do(deploy):
    owned = {"kubernetes.io/cluster/dev": "owned"}
    bare = INTERNAL | owned | {"kubernetes.io/role/internal-elb": ""}
    subnets = PERFECT | {FIRST: {"zone": "a", "tags": bare}}

    assert deploy(lambda: network(tag_subnets=False), answers(subnets)).tree() == ["Network net"]


@pytest.mark.feature("B-08")
def test_subnets_that_are_not_there_or_elsewhere_are_told_together_before_anything_is_made(deploy):
    built = []
    account = answers({FIRST: {"zone": "a"}, SECOND: {"zone": "b", "vpc": "vpc-0fedcba9"}})

    def program():
        built.append(1)
        network()
        built.append(2)

    assert refused(deploy, program, account) == [
        f"{VPC} does not fit the cluster:",
        f"network.privateSubnetIds[1]: {SECOND} lies in vpc-0fedcba9: correct it, or network.vpcId",
        f"network.publicSubnetIds[0]: {PUBLIC} does not exist in this account and region: "
        "correct it",
    ]
    assert built == [1]


@pytest.mark.feature("B-08")
def test_private_subnets_of_one_zone_are_too_few(deploy):
    subnets = PERFECT | {SECOND: {"zone": "a"}}

    assert refused(deploy, existing, answers(subnets)) == [
        f"{VPC} does not fit the cluster:",
        "network.privateSubnetIds: all lie in eu-west-1a, and EKS wants two zones: "
        "add a subnet of another zone",
    ]


@pytest.mark.feature("B-10")
def test_of_a_vpc_without_internet_all_endpoints_that_lack_are_told_with_the_command(deploy):
    def endpoint(query):
        if query["serviceName"].endswith(".ec2"):
            return {"id": "vpce-1"}
        raise Refusal("reading EC2 VPC Endpoint: no matching EC2 VPC Endpoint found")

    account = answers(endpoint=endpoint)
    need = "which pods without internet need: `aws ec2 create-vpc-endpoint"
    assert refused(deploy, lambda: network(way_out="endpoints"), account) == [
        f"{VPC} does not fit the cluster:",
        f"network.wayOut: the VPC has no endpoint com.amazonaws.eu-west-1.sts, {need} "
        f"--vpc-id {VPC} --service-name com.amazonaws.eu-west-1.sts --vpc-endpoint-type Interface "
        f"--private-dns-enabled --subnet-ids {FIRST} {SECOND} --security-group-ids …` "
        "with a group that admits HTTPS from the VPC",
        f"network.wayOut: the VPC has no endpoint com.amazonaws.eu-west-1.s3, {need} "
        f"--vpc-id {VPC} --service-name com.amazonaws.eu-west-1.s3 --vpc-endpoint-type Gateway "
        "--route-table-ids …` with the private subnets' tables",
    ]


def test_the_command_puts_an_endpoint_into_one_subnet_of_each_zone(deploy):
    subnets = {FIRST: "a", PUBLIC: "a", SECOND: "b"}

    def program():
        config = ExistingNetworkConfig(
            vpc_id=VPC, private_subnet_ids=tuple(subnets), way_out="endpoints"
        )
        args = NetworkArgs(
            config=config, cluster_name="dev", location=LOCATION, needed_endpoints=("sts",)
        )
        Network("net", args)

    def endpoint(_):
        raise Refusal("reading EC2 VPC Endpoint: no matching EC2 VPC Endpoint found")

    account = answers({id_: {"zone": zone} for id_, zone in subnets.items()}, endpoint)
    assert f" --subnet-ids {FIRST} {SECOND} --security" in refused(deploy, program, account)[1]


@pytest.mark.feature("B-10")
def test_endpoints_are_asked_for_in_this_vpc_and_with_their_kind(deploy):
    asked = []

    def endpoint(query):
        asked.append(query)
        return {"id": "vpce-1"}

    deploy(lambda: network(way_out="endpoints", needed=("sts",)), answers(endpoint=endpoint))

    here = {"vpcId": VPC, "state": "available"}
    assert asked == [
        here | {"serviceName": "com.amazonaws.eu-west-1.sts", "vpcEndpointType": "Interface"},
        here | {"serviceName": "com.amazonaws.eu-west-1.s3", "vpcEndpointType": "Gateway"},
    ]


def test_more_than_one_endpoint_of_a_service_is_enough(deploy):
    def endpoint(_):
        raise Refusal("multiple EC2 VPC Endpoints matched; use additional constraints")

    deploy(lambda: network(way_out="endpoints"), answers(endpoint=endpoint))


def test_what_else_aws_refuses_is_not_taken_for_a_missing_endpoint(deploy):
    def endpoint(_):
        raise Refusal("UnauthorizedOperation: ec2:DescribeVpcEndpoints")

    with pytest.raises(Exception, match="UnauthorizedOperation: ec2:DescribeVpcEndpoints"):
        deploy(lambda: network(way_out="endpoints"), answers(endpoint=endpoint))


def test_with_a_way_to_the_internet_no_endpoint_is_asked_for(deploy):
    def endpoint(_):
        raise Refusal("reading EC2 VPC Endpoint: no matching EC2 VPC Endpoint found")

    deploy(existing, answers(endpoint=endpoint))


@pytest.mark.parametrize(("way_out", "alone"), [("internet", False), ("endpoints", True)])
def test_an_existing_network_is_isolated_where_endpoints_are_its_way_out(way_out, alone):
    config = ExistingNetworkConfig(vpc_id=VPC, private_subnet_ids=(FIRST, SECOND), way_out=way_out)

    assert config.isolated is alone
