"""The account has the administrators that the stack file names; the first of them deploys."""

from typing import Any

import boto3
import pytest
import yaml

from rehearsal import account
from rehearsal.clients import aws_client
from rehearsal.stack_file import DEFAULT_ACCOUNT, StackFile

OWN = f"arn:aws:iam::{DEFAULT_ACCOUNT}:"


@pytest.fixture
def stack_file(tmp_path):
    """A stack file with the administrators and other sections given."""

    def write(*admins: str, **sections: dict[str, Any]) -> StackFile:
        path = tmp_path / "Pulumi.try.yaml"
        config = {"cluster": {"admins": list(admins)}, **sections}
        document = {"config": {f"frugal-eks:{name}": section for name, section in config.items()}}
        path.write_text(yaml.safe_dump(document))
        return StackFile.read(path, "try")

    return write


def deployer(environment: dict[str, str]) -> str:
    session = boto3.Session(
        environment["AWS_ACCESS_KEY_ID"],
        environment["AWS_SECRET_ACCESS_KEY"],
        environment["AWS_SESSION_TOKEN"],
        environment["AWS_REGION"],
    )
    sts = session.client("sts", endpoint_url=environment["AWS_ENDPOINT_URL"])
    return sts.get_caller_identity()["Arn"]


def test_administrators_exist_before_up_and_the_first_role_deploys(stack_file, endpoints):
    file = stack_file(OWN + "user/ann", OWN + "role/team/platform-admin", OWN + "role/second")

    environment = account.prepare(file, endpoints)
    account.prepare(file, endpoints)

    iam = aws_client("iam", endpoints)
    assert iam.get_role(RoleName="platform-admin")["Role"]["Arn"] == file.admins[1]
    assert iam.get_role(RoleName="second")["Role"]["Arn"] == file.admins[2]
    assert iam.get_user(UserName="ann")["User"]["Arn"] == file.admins[0]
    who = f"arn:aws:sts::{DEFAULT_ACCOUNT}:assumed-role/platform-admin/rehearsal"
    assert deployer(environment) == who
    assert account.preexisting(file, endpoints) == file.admins


def test_a_role_of_its_own_deploys_where_no_administrator_is_a_role(stack_file, endpoints):
    file = stack_file(OWN + "user/ann", "arn:aws:iam::999999999999:role/other")

    environment = account.prepare(file, endpoints)

    assert "/rehearsal-deployer/" in deployer(environment)
    assert account.preexisting(file, endpoints) == [
        OWN + "user/ann",
        OWN + "role/rehearsal-deployer",
    ]


def zones(endpoints):
    """Name and kind of each hosted zone: its id."""
    listed = aws_client("route53", endpoints).list_hosted_zones()["HostedZones"]
    return {(zone["Name"], zone["Config"]["PrivateZone"]): zone["Id"] for zone in listed}


def test_the_hosted_zones_and_the_key_pair_that_the_file_names_are_there(stack_file, endpoints):
    file = stack_file(
        addons={"externalDns": {"zones": ["example.com", "apps.example.org"]}},
        bastion={"ssh": {"keyName": "my laptop", "cidr": "203.0.113.7/32"}},
    )

    account.prepare(file, endpoints)
    account.prepare(file, endpoints)

    made = zones(endpoints)
    assert made.keys() == {("example.com.", False), ("apps.example.org.", False)}
    pairs = aws_client("ec2", endpoints).describe_key_pairs()["KeyPairs"]
    assert [pair["KeyName"] for pair in pairs] == ["my laptop"]
    assert account.preexisting(file, endpoints) == [
        OWN + "role/rehearsal-deployer",
        made["example.com.", False],
        made["apps.example.org.", False],
        "my laptop",
    ]


def test_private_zones_belong_to_the_vpc_of_the_file_or_to_another_one(stack_file, endpoints):
    ec2, route53 = aws_client("ec2", endpoints), aws_client("route53", endpoints)
    (vpc,) = ec2.describe_vpcs()["Vpcs"]
    other = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]

    for name, network, expected in (
        ("example.com", {"zones": 2}, vpc["VpcId"]),
        ("corp.example.com", {"vpcId": other}, other),
    ):
        dns = {"zones": [name], "zoneType": "private"}
        account.prepare(stack_file(addons={"externalDns": dns}, network=network), endpoints)
        zone = route53.get_hosted_zone(Id=zones(endpoints)[f"{name}.", True])
        assert [one["VPCId"] for one in zone["VPCs"]] == [expected]


def test_a_file_without_dns_and_bastion_makes_no_zone_and_no_key_pair(stack_file, endpoints):
    before = zones(endpoints)

    account.prepare(stack_file(addons={"metricsServer": {}}, bastion={}), endpoints)

    assert zones(endpoints) == before
    assert account.preexisting(stack_file(), endpoints) == [OWN + "role/rehearsal-deployer"]
