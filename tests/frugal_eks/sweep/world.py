"""An AWS account of the tests, with what clusters leave in it."""

import itertools
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import boto3

REGION, OTHER_REGION = "eu-west-1", "eu-central-1"
CLUSTER, OTHER = "dev", "prod"
LIFECYCLE = f"kubernetes.io/cluster/{CLUSTER}"
OWNED = {LIFECYCLE: "owned"}

numbers = itertools.count()


@cache
def client(service: str, region: str) -> Any:
    """One for all tests: to make it takes longer than most of them."""
    return boto3.client(service, region)


class World:
    """Makes things in the account; each maker takes tags and returns what AWS knows it by."""

    def __init__(self, region: str = REGION) -> None:
        self.region = region
        self.ec2: Any = client("ec2", region)
        self.elbv2: Any = client("elbv2", region)
        self.elb: Any = client("elb", region)
        self.iam: Any = client("iam", region)
        self.autoscaling: Any = client("autoscaling", region)
        self.logs: Any = client("logs", region)
        self.eks: Any = client("eks", region)
        self.vpc = self.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.subnets = [
            self.ec2.create_subnet(
                VpcId=self.vpc, CidrBlock=f"10.0.{n}.0/24", AvailabilityZone=f"{region}{zone}"
            )["Subnet"]["SubnetId"]
            for n, zone in enumerate("ab")
        ]
        self.image = self.ec2.register_image(Name="node")["ImageId"]
        self.role = f"nodes-{next(numbers)}"
        self.iam.create_role(RoleName=self.role, AssumeRolePolicyDocument="{}")

    @property
    def makers(self) -> dict[str, Callable[[Mapping[str, str]], str]]:
        """By the name of a kind; log groups are found by their path and are not here."""
        return {
            "Auto Scaling group": self.group,
            "instance": self.instance,
            "load balancer": self.balancer,
            "classic load balancer": self.classic,
            "target group": self.target_group,
            "NAT gateway": self.nat_gateway,
            "elastic IP": self.address,
            "network interface": self.interface,
            "security group": self.security_group,
            "launch template": self.template,
            "instance profile": self.profile,
            "OIDC provider": self.oidc_provider,
            "volume": self.volume,
        }

    def group(self, tags: Mapping[str, str], size: int = 0, template: str | None = None) -> str:
        name = f"spot-{next(numbers)}"
        self.autoscaling.create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=size,
            MaxSize=size,
            MixedInstancesPolicy={
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": {
                        "LaunchTemplateId": template or self.template({}),
                        "Version": "$Latest",
                    },
                    "Overrides": [{"InstanceType": "m5.large"}],
                }
            },
            VPCZoneIdentifier=self.subnets[0],
            Tags=[{"Key": k, "Value": v, "PropagateAtLaunch": True} for k, v in tags.items()],
        )
        return name

    def instance(self, tags: Mapping[str, str], **more: Any) -> str:
        made = self.ec2.run_instances(
            ImageId=self.image,
            MinCount=1,
            MaxCount=1,
            InstanceType="m5.large",
            SubnetId=more.pop("SubnetId", self.subnets[0]),
            **more,
        )
        instance_id = made["Instances"][0]["InstanceId"]
        self.tag(instance_id, tags)
        return instance_id

    def balancer(self, tags: Mapping[str, str]) -> str:
        made = self.elbv2.create_load_balancer(
            Name=f"k8s-web-{next(numbers)}",
            Type="network",
            Subnets=self.subnets,
            **tagging(tags),
        )
        return made["LoadBalancers"][0]["LoadBalancerArn"]

    def classic(self, tags: Mapping[str, str]) -> str:
        name = f"a{next(numbers):031}"
        listener = {"Protocol": "tcp", "LoadBalancerPort": 80, "InstancePort": 30080}
        self.elb.create_load_balancer(
            LoadBalancerName=name, Listeners=[listener], Subnets=self.subnets, **tagging(tags)
        )
        return name

    def target_group(self, tags: Mapping[str, str]) -> str:
        made = self.elbv2.create_target_group(
            Name=f"k8s-web-{next(numbers)}",
            Protocol="TCP",
            Port=80,
            VpcId=self.vpc,
            **tagging(tags),
        )
        return made["TargetGroups"][0]["TargetGroupArn"]

    def interface(self, tags: Mapping[str, str], groups: list[str] | None = None) -> str:
        more = {"Groups": groups} if groups else {}
        made = self.ec2.create_network_interface(SubnetId=self.subnets[0], **more)
        interface_id = made["NetworkInterface"]["NetworkInterfaceId"]
        self.tag(interface_id, tags)
        return interface_id

    def nat_gateway(self, tags: Mapping[str, str], address: str | None = None) -> str:
        made = self.ec2.create_nat_gateway(
            SubnetId=self.subnets[0], AllocationId=address or self.address({})
        )
        self.tag(made["NatGateway"]["NatGatewayId"], tags)
        return made["NatGateway"]["NatGatewayId"]

    def address(self, tags: Mapping[str, str]) -> str:
        made = self.ec2.allocate_address(Domain="vpc")
        self.tag(made["AllocationId"], tags)
        return made["AllocationId"]

    def oidc_provider(self, tags: Mapping[str, str], region: str | None = None) -> str:
        url = f"https://oidc.eks.{region or self.region}.amazonaws.com/id/{next(numbers):032X}"
        made = self.iam.create_open_id_connect_provider(
            Url=url, ClientIDList=["sts.amazonaws.com"], **tagging(tags)
        )
        return made["OpenIDConnectProviderArn"]

    def security_group(self, tags: Mapping[str, str]) -> str:
        made = self.ec2.create_security_group(
            GroupName=f"k8s-traffic-{next(numbers)}", Description="-", VpcId=self.vpc
        )
        self.tag(made["GroupId"], tags)
        return made["GroupId"]

    def template(self, tags: Mapping[str, str]) -> str:
        made = self.ec2.create_launch_template(
            LaunchTemplateName=f"karpenter.k8s.aws/{next(numbers)}",
            LaunchTemplateData={"ImageId": self.image, "InstanceType": "m5.large"},
            TagSpecifications=[{"ResourceType": "launch-template", **tagging(tags)}]
            if tags
            else [],
        )
        return made["LaunchTemplate"]["LaunchTemplateId"]

    def profile(self, tags: Mapping[str, str]) -> str:
        name = f"{CLUSTER}_{next(numbers)}"
        path = f"/karpenter/{self.region}/{CLUSTER}/{next(numbers)}/"
        self.iam.create_instance_profile(InstanceProfileName=name, Path=path, **tagging(tags))
        self.iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=self.role)
        return name

    def volume(self, tags: Mapping[str, str]) -> str:
        made = self.ec2.create_volume(AvailabilityZone=f"{self.region}a", Size=20, VolumeType="gp3")
        self.tag(made["VolumeId"], tags)
        return made["VolumeId"]

    def log_group(self, name: str, tags: Mapping[str, str] | None = None) -> str:
        self.logs.create_log_group(logGroupName=name, tags=dict(tags or {}))
        return name

    def tag(self, resource: str, tags: Mapping[str, str]) -> None:
        if tags:
            self.ec2.create_tags(Resources=[resource], **tagging(tags))

    def control_plane(self, name: str = CLUSTER) -> None:
        self.eks.create_cluster(
            name=name,
            roleArn="arn:aws:iam::123456789012:role/cluster",
            resourcesVpcConfig={"subnetIds": self.subnets},
        )

    def everything(self) -> set[str]:
        """What AWS knows each thing of the kinds by, whoever's it is."""
        reservations = self.ec2.describe_instances()["Reservations"]
        return {
            *(
                instance["InstanceId"]
                for reservation in reservations
                for instance in reservation["Instances"]
                if instance["State"]["Name"] != "terminated"
            ),
            *ids(self.autoscaling, "describe_auto_scaling_groups", "AutoScalingGroupName"),
            *ids(self.elbv2, "describe_load_balancers", "LoadBalancerArn"),
            *ids(self.elb, "describe_load_balancers", "LoadBalancerName"),
            *ids(self.elbv2, "describe_target_groups", "TargetGroupArn"),
            *ids(self.ec2, "describe_network_interfaces", "NetworkInterfaceId"),
            *ids(self.ec2, "describe_security_groups", "GroupId"),
            *ids(self.ec2, "describe_launch_templates", "LaunchTemplateId"),
            *ids(self.iam, "list_instance_profiles", "InstanceProfileName"),
            *ids(self.ec2, "describe_volumes", "VolumeId"),
            *(
                gateway["NatGatewayId"]
                for gateway in self.ec2.describe_nat_gateways()["NatGateways"]
                if gateway["State"] != "deleted"
            ),
            *(one["AllocationId"] for one in self.ec2.describe_addresses()["Addresses"]),
            *(
                one["Arn"]
                for one in self.iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
            ),
            *ids(self.logs, "describe_log_groups", "logGroupName"),
        }


def tagging(tags: Mapping[str, str]) -> dict[str, Any]:
    """As AWS's calls take them; most refuse an empty list."""
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]} if tags else {}


def ids(client: Any, operation: str, key: str) -> list[str]:
    """One field of all that an operation lists."""
    # moto shows 15 launch templates and no further page, unless more are asked for.
    size = {"PageSize": 200} if operation == "describe_launch_templates" else {}
    pages = client.get_paginator(operation).paginate(PaginationConfig=size)
    lists = (value for page in pages for value in page.values() if isinstance(value, list))
    return [item[key] for items in lists for item in items]
