import base64
import json
import os
import subprocess

import pulumi
import pytest
from pydantic import ValidationError

from components.location import Location
from components.network.config import NatInstanceConfig, NewNetworkConfig
from components.network.nat_instance import take_over_policy, user_data
from components.network.network import Network, NetworkArgs

LOCATION = Location(region="eu-west-1", account="111122223333")
INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
ADDRESS = "aws:ec2/eip:Eip"
ROUTE = "aws:ec2/route:Route"
ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
ID, MAC = "eni-0123456789abcdef0", "02:aa:bb:cc:dd:ee"
SCRIPT = user_data(region="eu-west-1", interface=ID, mac=MAC)
INSTALLED = SCRIPT.partition("<<'SCRIPT'\n")[2].partition("SCRIPT\n")[0]


def network(**settings):
    config = NewNetworkConfig(cidr="10.20.0.0/16", **settings)
    return Network("net", NetworkArgs(config=config, cluster_name="dev", location=LOCATION))


def with_instance():
    parts = network(nat_instance={}).way_out
    pulumi.ComponentResource(
        "frugal-eks:test:Last", "last", opts=pulumi.ResourceOptions(depends_on=parts)
    )


@pytest.mark.feature("C-15", "B-09")
def test_a_nat_instance_takes_the_place_of_every_gateway(once, account):
    built = once(with_instance, account)

    assert built.every("aws:ec2/natGateway:NatGateway") == []
    for number in (1, 2, 3):
        assert built.named(ROUTE, f"net-private-{number}").inputs == {
            "routeTableId": f"net-private-{number}-id",
            "destinationCidrBlock": "0.0.0.0/0",
            "networkInterfaceId": "net-nat-id",
        }


@pytest.mark.feature("C-15")
def test_its_interface_stays_in_a_public_subnet_with_the_address_and_forwards(once, account):
    built = once(with_instance, account)

    tags = {"Name": "dev-nat"}
    assert built.one(INTERFACE).inputs == {
        "description": "The way out of the private subnets",
        "subnetId": "net-public-1-id",
        "securityGroups": ["net-nat-id"],
        "sourceDestCheck": False,
        "tags": tags,
    }
    address = built.one(ADDRESS).inputs
    assert address == {"domain": "vpc", "networkInterface": "net-nat-id", "tags": tags}


@pytest.mark.feature("C-15")
def test_a_group_of_exactly_one_replaces_what_fails_and_what_is_of_an_older_template(once, account):
    assert once(with_instance, account).one(GROUP).inputs == {
        "minSize": 1,
        "maxSize": 1,
        "desiredCapacity": 1,
        "vpcZoneIdentifiers": ["net-public-1-id"],
        "healthCheckType": "EC2",
        "launchTemplate": {"id": "net-nat-id", "version": "1"},
        "instanceRefresh": {
            "strategy": "Rolling",
            "preferences": {"minHealthyPercentage": 0},
        },
        "tags": [{"key": "Name", "value": "dev-nat", "propagateAtLaunch": True}],
    }


@pytest.mark.feature("C-15")
def test_the_instance_is_the_smallest_graviton_with_the_pinned_image_and_a_closed_door(
    once, account
):
    template = once(with_instance, account).one(TEMPLATE).inputs

    script = base64.b64decode(template.pop("userData")).decode()
    assert script == user_data(region="eu-west-1", interface="net-nat-id", mac=MAC)
    serves = {"frugal-eks/nat-interface": "net-nat-id"}
    assert template == {
        "imageId": "ami-0123456789abcdef0",
        "instanceType": "t4g.nano",
        "updateDefaultVersion": True,
        "iamInstanceProfile": {"name": "net-nat"},
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 1,
        },
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {
                    "volumeSize": 8,
                    "volumeType": "gp3",
                    "encrypted": "true",
                    "deleteOnTermination": "true",
                },
            }
        ],
        "networkInterfaces": [
            {
                "deviceIndex": 0,
                "associatePublicIpAddress": "true",
                "securityGroups": ["net-nat-id"],
                "deleteOnTermination": "true",
            }
        ],
        "tagSpecifications": [
            {"resourceType": "instance", "tags": serves},
            {"resourceType": "network-interface", "tags": serves},
            {"resourceType": "volume", "tags": {"Name": "dev-nat"}},
        ],
    }


@pytest.mark.feature("C-15")
def test_only_the_vpc_may_send_through_it(once, account):
    group = once(with_instance, account).one("aws:ec2/securityGroup:SecurityGroup").inputs

    anything = {"protocol": "-1", "fromPort": 0, "toPort": 0}
    assert group["ingress"] == [anything | {"cidrBlocks": ["10.20.0.0/16"]}]
    assert group["egress"] == [anything | {"cidrBlocks": ["0.0.0.0/0"]}]


@pytest.mark.feature("C-15")
def test_its_role_is_of_its_own_for_session_manager_and_the_one_interface(once, account):
    built = once(with_instance, account)

    role = built.one("aws:iam/role:Role")
    trust = json.loads(role.inputs["assumeRolePolicy"])
    assert trust["Statement"][0]["Principal"] == {"Service": "ec2.amazonaws.com"}
    assert built.one("aws:iam/instanceProfile:InstanceProfile").inputs["role"] == "net-nat-role"
    managed = built.one("aws:iam/rolePolicyAttachment:RolePolicyAttachment").inputs
    assert managed["policyArn"] == "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
    own = json.loads(built.one("aws:iam/rolePolicy:RolePolicy").inputs["policy"])
    assert own == take_over_policy(location=LOCATION, interface="net-nat-id")


@pytest.mark.feature("C-15")
def test_the_policy_moves_one_interface_between_instances_that_serve_it():
    here = "arn:aws:ec2:eu-west-1:111122223333"
    serves = {"StringEquals": {"aws:ResourceTag/frugal-eks/nat-interface": ID}}
    moves = ["ec2:AttachNetworkInterface", "ec2:DetachNetworkInterface"]

    policy = take_over_policy(location=LOCATION, interface=ID)
    assert [
        (one["Effect"], one["Action"], one["Resource"], one.get("Condition"))
        for one in policy["Statement"]
    ] == [
        ("Allow", moves, f"{here}:network-interface/{ID}", None),
        ("Allow", moves, f"{here}:instance/*", serves),
        ("Allow", "ec2:ModifyNetworkInterfaceAttribute", f"{here}:network-interface/*", serves),
        ("Allow", "ec2:DescribeNetworkInterfaces", "*", None),
    ]


@pytest.mark.feature("C-15")
def test_routes_follow_the_instance_and_what_drains_in_a_destroy_has_both_to_the_end(once, account):
    built = once(with_instance, account)

    last, group = built.one("frugal-eks:test:Last"), built.one(GROUP)
    routes = built.every(ROUTE)
    assert all(built.waits_for(last, one) for one in (group, built.one(ADDRESS), *routes))
    assert all(built.waits_for(route, group) for route in routes if "private" in route.request.name)
    assert built.waits_for(group, built.named(ROUTE, "net-public"))
    assert built.waits_for(group, built.named(ASSOCIATION, "net-public-1"))
    assert built.waits_for(group, built.one(ADDRESS))
    assert built.waits_for(group, built.one("aws:iam/rolePolicy:RolePolicy"))


def test_a_preview_shows_what_an_update_makes(once, account):
    preview = once(with_instance, account, preview=True)

    assert preview.tree() == once(with_instance, account).tree()


@pytest.mark.feature("C-15")
def test_a_type_that_is_no_graviton_is_refused():
    with pytest.raises(ValidationError) as refused:
        NatInstanceConfig(instance_type="t3.nano")

    (error,) = refused.value.errors()
    assert error["msg"] == (
        "instanceType: is no Graviton type, and the image is for arm64: take one like t4g.nano"
    )


@pytest.mark.feature("C-15")
def test_the_user_data_has_every_value_and_fits():
    assert {"export AWS_DEFAULT_REGION=eu-west-1", f"interface={ID}", f"mac={MAC}"} <= set(
        SCRIPT.splitlines()
    )
    assert "@" not in SCRIPT
    # EC2's limit, before base64.
    assert len(SCRIPT.encode()) < 16 * 1024


# What the instance has, as the script sees it: each call is noted, and answered as below.
STAND_IN = """#!/bin/bash
noun=$(basename "$0")
echo "$noun $*" >>"$NOTES"
case "$noun $*" in
  "aws ec2 describe-network-interfaces"*) echo "$HELD" ;;
  "aws ec2 attach-network-interface"*) [[ $ATTACH == yes ]] && touch "$HERE" ;;
  "aws ec2 modify-network-interface-attribute"*) exit 1 ;;
  "curl "*"/api/token") echo token ;;
  "curl "*"/instance-id") echo i-0new ;;
  "curl "*"/meta-data/mac") echo 02:00:00:00:00:01 ;;
  "curl "*"/02:00:00:00:00:01/interface-id") echo eni-0primary ;;
  "ip -oneline link show")
    echo "2: ens5: <UP> mtu 9001\\\\    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff"
    [[ -e $HERE ]] && echo "3: ens6: <UP> mtu 9001\\\\    link/ether 02:aa:bb:cc:dd:ee brd ff"
    true ;;
  "ip -4 -brief address show dev ens6") echo "ens6 UP 10.20.192.9/21" ;;
  "ip -4 route show default") echo "default via 10.20.192.1 dev ens5 proto dhcp metric 512" ;;
  "dnf "*) [[ $(grep -c "^dnf" "$NOTES") -gt 1 ]] ;;
  "ip -4 route replace"*) [[ $(grep -c "route replace" "$NOTES") -lt 3 ]] ;;
  "nft --file -") cat >>"$NOTES" ;;
esac
"""

COMMANDS = (
    *("aws", "chmod", "curl", "dd", "dnf", "ip"),
    *("mkswap", "nft", "sleep", "swapon", "sysctl", "systemctl"),
)


def run(folder, *, held="None", attach="yes", here=False, script=INSTALLED):
    """Exit code and calls of the script that the user data installs, or of another."""
    commands = folder / "commands"
    commands.mkdir()
    for noun in COMMANDS:
        (commands / noun).write_text(STAND_IN)
        (commands / noun).chmod(0o755)
    notes, attached = folder / "notes", folder / "attached"
    if here:
        attached.touch()
    environment = {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "NOTES": str(notes),
        "HERE": str(attached),
        "HELD": held,
        "ATTACH": attach,
    }
    ended = subprocess.run(["bash"], input=script, text=True, env=environment, check=False)
    lines = notes.read_text().splitlines()
    return ended.returncode, [line.removesuffix(" ") for line in lines]


def to_aws(lines):
    return [line.removeprefix("aws ec2 ") for line in lines if line.startswith("aws ")]


ATTACHED = f"attach-network-interface --network-interface-id {ID} --instance-id i-0new "
ATTACHED += "--device-index 1"
GIVEN_BACK = "modify-network-interface-attribute --network-interface-id eni-0primary "
GIVEN_BACK += "--no-associate-public-ip-address"


@pytest.mark.feature("C-15")
def test_the_user_data_makes_swap_for_dnf_and_installs_a_service_that_starts_again(tmp_path):
    script = SCRIPT.replace("/usr/local/sbin", str(tmp_path))
    ended, lines = run(tmp_path, script=script.replace("/etc/systemd/system", str(tmp_path)))

    assert ended == 0
    assert lines == [
        "dd if=/dev/zero of=/swapfile bs=1M count=512 status=none",
        "chmod 600 /swapfile",
        "mkswap /swapfile",
        "swapon /swapfile",
        # The first one fails.
        *("dnf install --assumeyes nftables", "sleep 5", "dnf install --assumeyes nftables"),
        f"chmod 755 {tmp_path}/nat-instance",
        "systemctl enable --now nat-instance.service",
    ]
    assert (tmp_path / "nat-instance").read_text() == INSTALLED
    unit = (tmp_path / "nat-instance.service").read_text().splitlines()
    restart = {"Restart=on-failure", "RestartSec=2", "StartLimitIntervalSec=0"}
    start = {f"ExecStart={tmp_path}/nat-instance", "WantedBy=multi-user.target"}
    assert restart | start <= set(unit)


@pytest.mark.feature("C-15")
def test_a_first_instance_takes_the_interface_sends_by_it_and_gives_its_own_address_back(tmp_path):
    ended, lines = run(tmp_path)

    # Also where the address cannot be given back.
    assert ended == 0
    assert to_aws(lines)[1:] == [ATTACHED, GIVEN_BACK]
    out = "ip -4 route replace default via 10.20.192.1 dev ens6 metric 100"
    assert lines.index("sysctl --write net.ipv4.ip_forward=1") < lines.index(out)
    assert lines.index('    oifname "ens6" masquerade') < lines.index(out)
    assert lines[-3:] == [out, "sleep 10", out]
    assert "sysctl --write net.netfilter.nf_conntrack_max=65536" in lines
    # IMDSv2, which the template requires.
    asked = [line for line in lines if "/meta-data/" in line]
    assert asked
    assert all("--header X-aws-ec2-metadata-token: token" in line for line in asked)


@pytest.mark.feature("C-15")
def test_an_instance_that_comes_after_another_takes_the_interface_from_it(tmp_path):
    ended, lines = run(tmp_path, held="eni-attach-0old")

    assert ended == 0
    assert to_aws(lines)[1:3] == [
        "detach-network-interface --attachment-id eni-attach-0old --force",
        ATTACHED,
    ]


@pytest.mark.feature("C-15")
def test_while_the_other_holds_on_the_script_fails(tmp_path):
    ended, lines = run(tmp_path, held="eni-attach-0old", attach="no")

    assert ended != 0
    assert to_aws(lines)[-1] == ATTACHED


@pytest.mark.feature("C-15")
def test_after_a_reboot_the_way_out_is_there_before_aws_is_asked(tmp_path):
    ended, lines = run(tmp_path, here=True)

    assert ended == 0
    assert to_aws(lines) == [GIVEN_BACK]
    first = next(i for i, line in enumerate(lines) if line.startswith("ip -4 route replace"))
    assert first < next(i for i, line in enumerate(lines) if line.startswith("aws"))
