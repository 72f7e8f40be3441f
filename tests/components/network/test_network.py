from pathlib import Path

import pulumi
import pytest
from pydantic import ValidationError

from components.location import Location
from components.network.config import NewNetworkConfig
from components.network.network import Network, NetworkArgs, chosen_zones
from components.network.subnets import subnet_plan

LOCATION = Location(region="eu-west-1", account="111122223333")
ZONES = "aws:index/getAvailabilityZones:getAvailabilityZones"
VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
NAT = "aws:ec2/natGateway:NatGateway"
ROUTE = "aws:ec2/route:Route"
TABLE = "aws:ec2/routeTable:RouteTable"
ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
NEEDED = ("ec2", "ecr.api", "sts")


def network(config, location=LOCATION, needed=NEEDED):
    args = NetworkArgs(
        config=config, cluster_name="dev", location=location, needed_endpoints=needed
    )
    return Network("net", args)


def new(**settings):
    return NewNetworkConfig(**({"cidr": "10.20.0.0/16"} | settings))


def by_default():
    network(new())


def isolated():
    network(new(nat_gateways="none"))


def inputs(built, kind):
    """By name."""
    return {declared.request.name: declared.inputs for declared in built.every(kind)}


def gateways_by_table(built):
    """Of each private route table, the NAT gateway of its way out."""
    return {
        name: route["natGatewayId"]
        for name, route in inputs(built, ROUTE).items()
        if "natGatewayId" in route
    }


@pytest.mark.feature("A2-08")
def test_the_vpc_resolves_names_and_carries_the_cluster_s(once, account):
    built = once(by_default, account)

    assert built.one(VPC).inputs == {
        "cidrBlock": "10.20.0.0/16",
        "enableDnsHostnames": True,
        "enableDnsSupport": True,
        "tags": {"Name": "dev"},
    }


@pytest.mark.feature("A2-08", "A2-18", "B-11")
def test_each_zone_has_a_private_and_a_public_subnet_with_the_tags_of_their_use(once, account):
    built = once(by_default, account)

    cluster = {"kubernetes.io/cluster/dev": "shared"}
    internal = {"kubernetes.io/role/internal-elb": "1", "karpenter.sh/discovery": "dev"} | cluster
    internet = {"kubernetes.io/role/elb": "1"} | cluster
    planned = [
        ("private-1", "10.20.0.0/18", "a", internal),
        ("private-2", "10.20.64.0/18", "b", internal),
        ("private-3", "10.20.128.0/18", "c", internal),
        ("public-1", "10.20.192.0/21", "a", internet),
        ("public-2", "10.20.200.0/21", "b", internet),
        ("public-3", "10.20.208.0/21", "c", internet),
    ]
    assert inputs(built, SUBNET) == {
        f"net-{noun}": {
            "vpcId": "net-id",
            "cidrBlock": block,
            "availabilityZone": f"eu-west-1{zone}",
            "tags": tags | {"Name": f"dev-{noun}"},
        }
        for noun, block, zone, tags in planned
    }


@pytest.mark.feature("A2-08")
def test_public_subnets_have_a_way_to_the_internet_and_private_ones_to_nat_alone(once, account):
    built = once(by_default, account)

    everywhere = {"destinationCidrBlock": "0.0.0.0/0"}
    to_nat = everywhere | {"natGatewayId": "net-nat-1-id"}
    assert inputs(built, ROUTE) == {
        "net-public": everywhere
        | {"routeTableId": "net-public-id", "gatewayId": "net-internet-id"},
        "net-private-1": to_nat | {"routeTableId": "net-private-1-id"},
        "net-private-2": to_nat | {"routeTableId": "net-private-2-id"},
        "net-private-3": to_nat | {"routeTableId": "net-private-3-id"},
    }
    tables = {
        link["subnetId"]: link["routeTableId"] for link in inputs(built, ASSOCIATION).values()
    }
    assert tables == {
        "net-private-1-id": "net-private-1-id",
        "net-private-2-id": "net-private-2-id",
        "net-private-3-id": "net-private-3-id",
        "net-public-1-id": "net-public-id",
        "net-public-2-id": "net-public-id",
        "net-public-3-id": "net-public-id",
    }


@pytest.mark.feature("B-09")
def test_one_nat_gateway_is_the_default_and_stands_in_a_public_subnet(once, account):
    built = once(by_default, account)

    assert built.one(NAT).inputs["subnetId"] == "net-public-1-id"
    assert built.one(NAT).inputs["allocationId"] == "net-nat-1-id"
    assert set(gateways_by_table(built).values()) == {"net-nat-1-id"}


@pytest.mark.feature("B-09")
def test_the_reference_says_what_each_choice_of_nat_costs_and_loses():
    page = (Path(__file__).parents[3] / "docs/reference.md").read_text()

    (row,) = [line for line in page.splitlines() if line.startswith("| `natGateways`")]

    for choice in (
        "`single` costs about 33 USD per month plus data, and if its zone fails, every zone loses",
        "`perZone` costs that much for each zone and survives the loss of one",
        "`none` costs nothing and leaves endpoints as the only way out",
        "Absent: `single`",
    ):
        assert choice in row


@pytest.mark.feature("B-09")
def test_one_nat_gateway_a_zone_serves_its_own_zone_only(deploy, account):
    built = deploy(lambda: network(new(nat_gateways="perZone")), account)

    places = {name: gateway["subnetId"] for name, gateway in inputs(built, NAT).items()}
    assert places == {f"net-nat-{n}": f"net-public-{n}-id" for n in (1, 2, 3)}
    assert gateways_by_table(built) == {f"net-private-{n}": f"net-nat-{n}-id" for n in (1, 2, 3)}


@pytest.mark.feature("B-09")
def test_without_nat_the_private_subnets_have_no_route_out(once, account):
    built = once(isolated, account)

    assert built.every(NAT) == []
    assert built.every("aws:ec2/eip:Eip") == []
    assert list(inputs(built, ROUTE)) == ["net-public"]


def test_changing_from_one_nat_gateway_to_one_a_zone_keeps_the_tables_and_the_first(
    once, deploy, account
):
    one, each = (
        once(by_default, account),
        deploy(lambda: network(new(nat_gateways="perZone")), account),
    )

    assert inputs(one, TABLE) == inputs(each, TABLE)
    assert inputs(one, NAT)["net-nat-1"] == inputs(each, NAT)["net-nat-1"]


def test_a_nat_gateway_lives_within_the_life_of_the_route_by_which_it_reaches_the_internet(
    once, account
):
    built = once(by_default, account)

    route = built.named(ROUTE, "net-public")
    assert built.waits_for(built.one(NAT), route)
    assert built.waits_for(built.one(NAT), built.named(ASSOCIATION, "net-public-1"))


def test_the_way_out_is_all_that_private_subnets_need_to_reach_aws(deploy, account):
    def program():
        parts = network(new(interface_endpoints=("sts",))).way_out
        pulumi.ComponentResource(
            "frugal-eks:test:Last", "last", opts=pulumi.ResourceOptions(depends_on=parts)
        )

    built = deploy(program, account)

    last = built.one("frugal-eks:test:Last")
    kinds = {kind: built.every(kind) for kind in (ROUTE, ASSOCIATION, ENDPOINT, NAT)}
    assert {kind: len(found) for kind, found in kinds.items()} == {
        ROUTE: 4,
        ASSOCIATION: 6,
        ENDPOINT: 2,
        NAT: 1,
    }
    assert all(built.waits_for(last, each) for found in kinds.values() for each in found)


def test_zones_are_asked_for_by_what_they_are_and_not_by_how_they_feel_today(deploy, account):
    asked = []

    def zones(query):
        asked.append(query)
        return {"names": ["eu-west-1c", "eu-west-1a", "eu-west-1d", "eu-west-1b"]}

    built = deploy(lambda: network(new(availability_zones=2)), account | {ZONES: zones})

    assert asked == [
        {
            "filters": [{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
            "excludeZoneIds": ["use1-az3", "usw1-az2", "cac1-az3"],
        }
    ]
    used = {subnet["availabilityZone"] for subnet in inputs(built, SUBNET).values()}
    assert used == {"eu-west-1a", "eu-west-1b"}


def test_zones_that_are_named_are_taken_as_they_are_and_aws_is_not_asked(deploy, account):
    answers = {source: answer for source, answer in account.items() if source != ZONES}
    named = new(availability_zones=("eu-west-1c", "eu-west-1a"))
    built = deploy(lambda: network(named), answers)

    subnets = inputs(built, SUBNET)
    assert subnets["net-private-1"]["availabilityZone"] == "eu-west-1c"
    assert subnets["net-public-2"]["availabilityZone"] == "eu-west-1a"


def living(*found):
    """Answers of an account with these subnets: name, range, zone."""

    def subnets(query):
        wanted = {each["name"]: each["values"] for each in query["filters"]}
        return {
            "ids": [
                f"subnet-{name}"
                for name, block, zone in found
                if name in wanted["tag:Name"]
                and block in wanted.get("cidr-block", [block])
                and zone in wanted.get("availability-zone", [zone])
            ]
        }

    return {"aws:ec2/getSubnets:getSubnets": subnets}


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 2), (3, 4), (4, 3), (2, 4)])
@pytest.mark.behaviour("subnet-cidr-conflict")
def test_a_living_network_is_not_laid_out_anew_and_the_key_that_keeps_it_is_named(
    deploy, account, before, after
):
    plan = subnet_plan(new().cidr, before)
    there = living(("dev-public-1", str(plan.public[0]), "eu-west-1a"))
    four = {"names": [f"eu-west-1{letter}" for letter in "abcd"]}
    answers = account | there | {ZONES: lambda _: four}
    remedy = f"so have {before} zones at least. "
    if after > before:
        remedy = f"so set network.zonesAtCreation: {before}. "

    deploy(lambda: network(new(availability_zones=before)), answers, preview=True)
    with pytest.raises(pulumi.RunError, match=remedy):
        deploy(lambda: network(new(availability_zones=after)), answers, preview=True)
    if after > before:
        kept = new(availability_zones=after, zones_at_creation=before)
        assert deploy(lambda: network(kept), answers, preview=True).every(SUBNET)


def test_another_range_for_the_whole_network_is_no_move(deploy, account):
    plan = subnet_plan(new().cidr, 3)
    there = living(("dev-public-1", str(plan.public[0]), "eu-west-1a"))
    elsewhere = new(cidr="10.30.0.0/16", availability_zones=2)

    assert deploy(lambda: network(elsewhere), account | there, preview=True).every(SUBNET)


def test_a_zone_in_the_middle_of_the_list_cannot_be_dropped(deploy, account):
    plan = subnet_plan(new().cidr, 2, 2)
    there = living(
        ("dev-private-1", str(plan.private[0]), "eu-west-1a"),
        ("dev-private-2", str(plan.private[1]), "eu-west-1b"),
    )
    names = {"availability_zones": ("eu-west-1a", "eu-west-1b")}

    deploy(lambda: network(new(**names)), account | there, preview=True)
    names = {"availability_zones": ("eu-west-1a", "eu-west-1c")}
    with pytest.raises(pulumi.RunError, match="subnet-dev-private-2 lies in another zone, and its"):
        deploy(lambda: network(new(**names)), account | there, preview=True)


def test_the_control_plane_stays_in_the_zones_in_which_it_was_made(deploy, account):
    ids = []

    def grown():
        made = network(new(availability_zones=3, zones_at_creation=2))
        pulumi.Output.all(*made.control_plane_subnet_ids).apply(ids.extend)

    deploy(grown, account)

    assert ids == ["net-private-1-id", "net-private-2-id"]


@pytest.mark.behaviour("vpc-endpoint-private-dns-conflict")
def test_an_endpoint_with_a_private_name_goes_before_the_one_that_replaces_it(once, account):
    made = once(isolated, account).every(ENDPOINT)

    private = {e.request.name for e in made if e.inputs.get("privateDnsEnabled")}
    assert private == {"net-ec2", "net-ecr-api", "net-sts"}
    assert {e.request.name for e in made if e.request.deleteBeforeReplace} == private


def test_a_region_with_too_few_zones_is_told_with_those_it_has():
    with pytest.raises(pulumi.RunError) as refused:
        chosen_zones(["us-west-1c", "us-west-1a"], 3)

    assert str(refused.value) == (
        "the region has 2 zones for EKS (us-west-1a, us-west-1c), "
        "network.availabilityZones asks for 3: lower it"
    )


def test_s3_has_its_free_endpoint_in_every_private_table(once, account):
    built = once(by_default, account)

    assert built.one(ENDPOINT).inputs == {
        "vpcId": "net-id",
        "serviceName": "com.amazonaws.eu-west-1.s3",
        "vpcEndpointType": "Gateway",
        "routeTableIds": ["net-private-1-id", "net-private-2-id", "net-private-3-id"],
        "tags": {"Name": "dev-s3"},
    }
    assert built.every(GROUP) == []


def test_interface_endpoints_answer_https_of_the_vpc_under_the_services_own_names(once, account):
    built = once(isolated, account)

    interface = {
        name: endpoint
        for name, endpoint in inputs(built, ENDPOINT).items()
        if endpoint["vpcEndpointType"] == "Interface"
    }
    assert interface["net-ecr-api"] == {
        "vpcId": "net-id",
        "serviceName": "com.amazonaws.eu-west-1.ecr.api",
        "vpcEndpointType": "Interface",
        "privateDnsEnabled": True,
        "subnetIds": ["net-private-1-id", "net-private-2-id", "net-private-3-id"],
        "securityGroupIds": ["net-endpoints-id"],
        "tags": {"Name": "dev-ecr.api"},
    }
    https = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["10.20.0.0/16"]}
    group = built.one(GROUP).inputs
    assert (group["ingress"], group.get("egress")) == ([https], None)


def interface_services(built):
    return sorted(
        endpoint["serviceName"].removeprefix("com.amazonaws.eu-west-1.")
        for endpoint in inputs(built, ENDPOINT).values()
        if endpoint["vpcEndpointType"] == "Interface"
    )


@pytest.mark.feature("B-10")
@pytest.mark.parametrize(
    ("settings", "services"),
    [
        ({"nat_gateways": "none"}, ["ec2", "ecr.api", "sts"]),
        ({"nat_gateways": "none", "interface_endpoints": ("sts", "kms")}, ["kms", "sts"]),
        ({"nat_gateways": "none", "interface_endpoints": ()}, []),
        ({"nat_instance": {}}, []),
        ({"nat_gateways": "single"}, []),
        ({"nat_gateways": "single", "interface_endpoints": ("sts",)}, ["sts"]),
    ],
)
def test_endpoints_are_those_that_are_named_or_without_a_way_out_those_that_are_needed(
    deploy, account, settings, services
):
    built = deploy(lambda: network(new(**settings)), account)

    assert interface_services(built) == services
    assert "net-s3" in inputs(built, ENDPOINT)


@pytest.mark.parametrize(
    ("settings", "alone"),
    [
        ({}, False),
        ({"nat_gateways": "none"}, True),
        ({"nat_gateways": "none", "nat_instance": {}}, False),
        ({"nat_instance": {}}, False),
        ({"nat_gateways": "perZone"}, False),
    ],
)
def test_a_network_is_isolated_without_gateway_and_instance(settings, alone):
    assert new(**settings).isolated is alone


def test_in_china_interface_endpoints_have_names_of_their_own_and_s3_has_not(deploy, account):
    location = Location(region="cn-north-1", account="111122223333")
    built = deploy(lambda: network(new(interface_endpoints=("sts",)), location), account)

    names = {endpoint["serviceName"] for endpoint in inputs(built, ENDPOINT).values()}
    assert names == {"cn.com.amazonaws.cn-north-1.sts", "com.amazonaws.cn-north-1.s3"}


@pytest.mark.parametrize("program", [by_default, isolated])
def test_a_preview_shows_what_an_update_makes(once, account, program):
    preview, update = once(program, account, preview=True), once(program, account)

    assert preview.tree() == update.tree()
    assert {name: subnet["cidrBlock"] for name, subnet in inputs(preview, SUBNET).items()} == {
        name: subnet["cidrBlock"] for name, subnet in inputs(update, SUBNET).items()
    }


def test_the_outputs_are_the_vpc_and_its_subnets_in_the_order_of_the_zones(once, account):
    assert once(by_default, account).outputs["net"] == {
        "vpcId": "net-id",
        "privateSubnetIds": ["net-private-1-id", "net-private-2-id", "net-private-3-id"],
        "publicSubnetIds": ["net-public-1-id", "net-public-2-id", "net-public-3-id"],
    }


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"cidr": "10.0.0.0/15"}, "cidr: is no size for a VPC: give one from /16 to /28"),
        ({"cidr": "10.0.0.0/24"}, "; give /23 or larger, or fewer availabilityZones"),
        (
            {"availability_zones": 2, "zones_at_creation": 3},
            "availabilityZones: EKS keeps a control plane in the zones in which it was made: "
            "leave at least zonesAtCreation, 3",
        ),
        (
            {"availability_zones": ("eu-west-1a", "eu-west-1a")},
            "availabilityZones: names a zone twice: each gets its own subnets",
        ),
        (
            {"nat_gateways": "perZone", "nat_instance": {}},
            "natInstance: natGateways is perZone, and private subnets have one way out: "
            "drop natGateways, or drop natInstance",
        ),
    ],
)
def test_a_network_that_could_not_work_is_refused_with_what_to_do(settings, problem):
    with pytest.raises(ValidationError) as refused:
        new(**settings)

    (error,) = refused.value.errors()
    assert error["msg"].endswith(problem)
