"""A network and a cluster that the test makes, and stacks that are to use them."""

import json
from typing import Any, NamedTuple

from rehearsal import leftovers
from rehearsal.account_things import Thing
from rehearsal.engine import Outcome
from tests.rehearsal.iam import once_iam_counts
from tests.rehearsal.variants.stage import Refused, Stage

REGION = "eu-west-1"
CLUSTER = {
    "name": "tenant",
    "version": "1.35",
    "endpoint": {"private": True},
    "admins": ["arn:aws:iam::111122223333:role/platform-admin"],
    "deletionProtection": False,
}
TENANT = {
    "aws:region": REGION,
    "frugal-eks:cluster": CLUSTER,
    "frugal-eks:fargate": {"profiles": {"kube-system": [{"namespace": "kube-system"}]}},
}
ISOLATED = TENANT | {
    "frugal-eks:network": {"cidr": "10.60.0.0/16", "availabilityZones": 2, "natGateways": "none"},
    "frugal-eks:fargate": {
        "profiles": {
            "karpenter": [{"namespace": "karpenter"}],
            "kube-system": [{"namespace": "kube-system"}],
        }
    },
    "frugal-eks:imageMirror": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror",
    "frugal-eks:karpenter": {
        "ownInstanceProfile": True,
        "nodeClasses": {"default": {"amiAlias": "al2023@v20260930"}},
        "nodePools": {"default": {"nodeClass": "default", "limits": {"cpu": 10}}},
    },
    "frugal-eks:addons": {"awsLoadBalancerController": {}, "efsCsi": {}},
}
BY_ENDPOINT = {"ec2", "ecr-api", "ecr-dkr", "eks", "eks-auth", "logs", "s3", "sqs", "ssm", "sts"}
MISSING = "subnet-0123456789abcdef0"


class Theirs(NamedTuple):
    """A network without tags and without endpoints."""

    vpc: str
    private: list[str]
    """In two zones."""
    beside: str
    """In the zone of the first."""
    public: str


class Played(NamedTuple):
    """The record of the rehearsal."""

    theirs: Theirs
    unfit: Refused
    no_cluster: Refused
    no_provider: Refused
    no_agent: Refused
    no_zone: Outcome
    isolated: Outcome
    up: Outcome
    tags: dict[str, dict[str, str]]
    where: dict[str, Any]
    again: Outcome
    tags_after: dict[str, dict[str, str]]
    left: list[Thing]


def play(opened: Stage) -> Played:
    """What is refused, what is only looked at, and one stack from nothing to nothing."""
    theirs = _network(opened)
    role = _cluster_role(opened)
    # They were there before.
    (opened.first.state.path / leftovers.BASELINE).unlink()
    leftovers.remember(opened.first.state)
    network = {"vpcId": theirs.vpc, "privateSubnetIds": theirs.private}
    unfit = network | {
        "privateSubnetIds": [theirs.private[0], theirs.beside],
        "publicSubnetIds": [MISSING],
        "tagSubnets": False,
        "wayOut": "endpoints",
    }

    eks = opened.aws("eks")
    once_iam_counts(
        eks.create_cluster,
        name="theirs",
        version="1.35",
        roleArn=role,
        resourcesVpcConfig={"subnetIds": theirs.private},
        accessConfig={"authenticationMode": "API"},
        bootstrapSelfManagedAddons=False,
    )
    eks.get_waiter("cluster_active").wait(name="theirs", WaiterConfig={"Delay": 1})
    in_theirs = {"aws:region": REGION, "frugal-eks:addons": {"metricsServer": {}}}
    on_fargate, on_nodes, nowhere = (
        opened.refused(in_theirs | {"frugal-eks:cluster": section})
        for section in (
            {"existing": "theirs", "runsOn": "fargate"},
            {"existing": "theirs", "runsOn": "nodes"},
            {"existing": "nowhere"},
        )
    )
    eks.delete_cluster(name="theirs")
    eks.get_waiter("cluster_deleted").wait(name="theirs", WaiterConfig={"Delay": 1})

    names = {"externalDns": {"zones": ["example.org"]}}
    lost = opened.stack(
        "lost", TENANT | {"frugal-eks:network": network, "frugal-eks:addons": names}
    )
    engine = lost.engine()
    # The rehearsal has made it, since the stack file says that it is there.
    route53 = opened.aws("route53")
    for zone in route53.list_hosted_zones()["HostedZones"]:
        route53.delete_hosted_zone(Id=zone["Id"])
    no_zone = engine.preview()

    fit = network | {"publicSubnetIds": [theirs.public]}
    tenant = opened.stack("tenant", TENANT | {"frugal-eks:network": fit}).engine()
    up = tenant.up()
    tags = _tags(opened, theirs)
    where = eks.describe_cluster(name="tenant")["cluster"]["resourcesVpcConfig"]
    again = tenant.preview()
    tenant.destroy()
    return Played(
        theirs=theirs,
        unfit=opened.refused(TENANT | {"frugal-eks:network": unfit}),
        no_cluster=nowhere,
        no_provider=on_fargate,
        no_agent=on_nodes,
        no_zone=no_zone,
        isolated=opened.stack("isolated", ISOLATED).engine().preview(),
        up=up,
        tags=tags,
        where=where,
        again=again,
        tags_after=_tags(opened, theirs),
        left=opened.left(),
    )


def _network(opened: Stage) -> Theirs:
    ec2 = opened.aws("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{name: {"Value": True}})
    first, second, beside, public = (
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.50.{number}.0/24", AvailabilityZone=f"{REGION}{letter}"
        )["Subnet"]["SubnetId"]
        for number, letter in enumerate("abaa")
    )
    return Theirs(vpc, [first, second], beside, public)


def _cluster_role(opened: Stage) -> str:
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "eks.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    iam = opened.aws("iam")
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    role = iam.create_role(RoleName="theirs", AssumeRolePolicyDocument=document)["Role"]
    iam.attach_role_policy(
        RoleName="theirs", PolicyArn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
    )
    return role["Arn"]


def _tags(opened: Stage, theirs: Theirs) -> dict[str, dict[str, str]]:
    ids = [*theirs.private, theirs.public]
    subnets = opened.aws("ec2").describe_subnets(SubnetIds=ids)["Subnets"]
    return {
        one["SubnetId"]: {tag["Key"]: tag["Value"] for tag in one.get("Tags", [])}
        for one in subnets
    }
