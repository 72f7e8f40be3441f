"""A NAT instance: a cheap way out of private subnets, instead of a NAT gateway."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws

from ..ec2.amazon_linux import ROOT_DEVICE, amazon_linux_ami
from ..iam.service_role import ServiceRole, ServiceRoleArgs
from ..location import Location
from .config import NatInstanceConfig

SERVES_TAG = "frugal-eks/nat-interface"
"""Tag of the instance and its own interface; its value is the interface that the routes lead to."""
_ANYWHERE = "0.0.0.0/0"
_SCRIPT = Path(__file__).with_name("nat-instance.sh")


@dataclass(frozen=True, kw_only=True)
class NatInstanceArgs:
    """The stack file's settings of the NAT instance, and its place in the VPC."""

    config: NatInstanceConfig
    """The stack file's settings of the NAT instance."""
    cluster: str
    """Name of the cluster, shown in the Name tags."""
    vpc_id: pulumi.Input[str]
    """VPC of the instance's security group."""
    cidr: str
    """Address range of the VPC, from which the instance accepts traffic."""
    subnet_id: pulumi.Input[str]
    """A public subnet."""
    location: Location
    """Account and region of the stack."""
    needs: Sequence[pulumi.Resource]
    """Routes by which the instance reaches the internet; they must exist first."""


class NatInstance(pulumi.ComponentResource):
    """A NAT instance: a network interface that stays, and an Auto Scaling group that keeps one
    instance behind it.

    The group replaces an instance that fails, and one of an older template. The new instance takes
    over the interface, so that address and routes never change.
    """

    interface_id: pulumi.Output[str]
    """Id of the interface, the target of routes; resolves once the first instance runs."""

    def __init__(
        self, name: str, args: NatInstanceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:NatInstance", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        online = pulumi.ResourceOptions(parent=self, depends_on=list(args.needs))
        tags = {"Name": f"{args.cluster}-nat"}

        group = aws.ec2.SecurityGroup(
            name,
            vpc_id=args.vpc_id,
            description="Everything from the VPC to the internet",
            ingress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": [args.cidr]}],
            egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": [_ANYWHERE]}],
            tags=tags,
            opts=child,
        )
        interface = aws.ec2.NetworkInterface(
            name,
            description="The way out of the private subnets",
            subnet_id=args.subnet_id,
            security_groups=[group.id],
            # It passes on what others send.
            source_dest_check=False,
            tags=tags,
            opts=child,
        )
        address = aws.ec2.Eip(
            name, domain="vpc", network_interface=interface.id, tags=tags, opts=online
        )
        role = self._role(name, args.location, interface)
        profile = aws.iam.InstanceProfile(name, role=role.role_name, opts=child)
        template = self._template(name, args, interface, group=group, profile=profile)
        instances = aws.autoscaling.Group(
            name,
            min_size=1,
            max_size=1,
            desired_capacity=1,
            vpc_zone_identifiers=[args.subnet_id],
            health_check_type="EC2",
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            # There can be but one, so the old one goes as the new one comes.
            instance_refresh={
                "strategy": "Rolling",
                "preferences": {"min_healthy_percentage": 0},
            },
            tags=[{"key": "Name", "value": tags["Name"], "propagate_at_launch": True}],
            opts=pulumi.ResourceOptions(parent=self, depends_on=[address]),
        )
        running = pulumi.Output.all(interface.id, instances.id)
        self.interface_id = running.apply(lambda known: known[0])
        self.register_outputs({"interfaceId": self.interface_id})

    def _role(
        self, name: str, location: Location, interface: aws.ec2.NetworkInterface
    ) -> ServiceRole:
        policy = interface.id.apply(lambda id_: take_over_policy(location=location, interface=id_))
        return ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service=f"ec2.{location.dns_suffix}",
                managed_policies={"ssm": location.managed_policy("AmazonSSMManagedInstanceCore")},
                policies={"take-over": policy},
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _template(
        self,
        name: str,
        args: NatInstanceArgs,
        interface: aws.ec2.NetworkInterface,
        *,
        group: aws.ec2.SecurityGroup,
        profile: aws.iam.InstanceProfile,
    ) -> aws.ec2.LaunchTemplate:
        script = pulumi.Output.all(interface=interface.id, mac=interface.mac_address).apply(
            lambda known: user_data(region=args.location.region, **known)
        )
        served = {SERVES_TAG: interface.id}
        return aws.ec2.LaunchTemplate(
            name,
            image_id=amazon_linux_ami(pulumi.InvokeOutputOptions(parent=self)),
            instance_type=args.config.instance_type,
            update_default_version=True,
            iam_instance_profile={"name": profile.name},
            metadata_options={
                "http_endpoint": "enabled",
                "http_tokens": "required",
                "http_put_response_hop_limit": 1,
            },
            block_device_mappings=[
                {
                    "device_name": ROOT_DEVICE,
                    "ebs": {
                        "volume_size": 8,
                        "volume_type": "gp3",
                        "encrypted": "true",
                        "delete_on_termination": "true",
                    },
                }
            ],
            network_interfaces=[
                {
                    "device_index": 0,
                    # For the boot alone: the script gives it back, 3.65 USD a month.
                    "associate_public_ip_address": "true",
                    "security_groups": [group.id],
                    "delete_on_termination": "true",
                }
            ],
            tag_specifications=[
                {"resource_type": "instance", "tags": served},
                {"resource_type": "network-interface", "tags": served},
                {"resource_type": "volume", "tags": {"Name": f"{args.cluster}-nat"}},
            ],
            user_data=script.apply(encoded),
            opts=pulumi.ResourceOptions(parent=self),
        )


def user_data(*, region: str, interface: str, mac: str) -> str:
    """Script that attaches this interface to the instance when it starts."""
    script = _SCRIPT.read_text(encoding="utf-8")
    for noun, value in {"REGION": region, "INTERFACE": interface, "MAC": mac}.items():
        script = script.replace(f"@{noun}@", value)
    return script


def encoded(script: str) -> str:
    """The script in base64, as a launch template takes it."""
    return base64.b64encode(script.encode()).decode()


def take_over_policy(*, location: Location, interface: str) -> dict[str, Any]:
    """Policy that allows moving this one interface between the instances that serve it."""
    serves = {"StringEquals": {f"aws:ResourceTag/{SERVES_TAG}": interface}}
    moves = ["ec2:AttachNetworkInterface", "ec2:DetachNetworkInterface"]
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "MoveTheInterface",
                "Effect": "Allow",
                "Action": moves,
                "Resource": location.arn("ec2", f"network-interface/{interface}"),
            },
            {
                "Sid": "BetweenItsInstances",
                "Effect": "Allow",
                "Action": moves,
                "Resource": location.arn("ec2", "instance/*"),
                "Condition": serves,
            },
            {
                "Sid": "GiveBackThePublicAddressOfTheBoot",
                "Effect": "Allow",
                "Action": "ec2:ModifyNetworkInterfaceAttribute",
                "Resource": location.arn("ec2", "network-interface/*"),
                "Condition": serves,
            },
            {
                "Sid": "SeeWhoHoldsTheInterface",
                "Effect": "Allow",
                "Action": "ec2:DescribeNetworkInterfaces",
                # It knows no narrower resource (service authorization reference of EC2).
                "Resource": "*",
            },
        ],
    }
