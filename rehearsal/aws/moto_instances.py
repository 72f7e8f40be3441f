"""Auto Scaling groups in moto, as EKS makes them."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from moto.autoscaling.models import autoscaling_backends
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

from rehearsal.aws.moto_account import MotoAccount


@dataclass(frozen=True)
class Instance:
    """A running instance."""

    id: str
    dns_name: str
    type: str
    zone: str
    zone_id: str


@dataclass(frozen=True, kw_only=True)
class Launch:
    """Settings with which a group launches instances."""

    instance_type: str
    image_id: str
    security_group: str
    spot: bool
    tags: dict[str, str]


@dataclass(frozen=True)
class Size:
    """Desired, largest and smallest number of instances of a group."""

    minimum: int
    maximum: int
    desired: int


def offered(region: str, instance_type: str) -> bool:
    """True if EC2 offers the type in the region."""
    offerings = INSTANCE_TYPE_OFFERINGS["region"].get(region, [])
    return any(offering["InstanceType"] == instance_type for offering in offerings)


def facts(instance_type: str) -> dict[str, Any]:
    """The type as DescribeInstanceTypes describes it."""
    return INSTANCE_TYPES[instance_type]


class InstanceGroup:
    """One Auto Scaling group."""

    def __init__(self, account: MotoAccount, name: str, launch: Launch, subnets: list[str]) -> None:
        """Creates the launch template and the group, without instances."""
        self._account = account
        self.name = name
        self._template = account.ec2.create_launch_template(
            name, "", _template_data(launch), {"launch-template": launch.tags}
        )
        autoscaling_tags = [
            {"Key": key, "Value": value, "PropagateAtLaunch": True, "ResourceId": name}
            for key, value in launch.tags.items()
        ]
        self._backend.create_auto_scaling_group(
            name=name,
            availability_zones=[],
            desired_capacity=0,
            max_size=0,
            min_size=0,
            launch_config_name=None,
            launch_template={"LaunchTemplateId": self._template.id, "Version": "$Latest"},
            vpc_zone_identifier=",".join(subnets),
            default_cooldown=300,
            health_check_period=15,
            health_check_type="EC2",
            load_balancers=[],
            target_group_arns=[],
            placement_group=None,
            termination_policies=[],
            tags=autoscaling_tags,
        )

    def resize(self, size: Size) -> None:
        """Starts or ends instances until the desired number runs, zone after zone."""
        group = self._group
        group.min_size, group.max_size = size.minimum, size.maximum
        group.set_desired_capacity(size.desired)

    def end(self, instance_ids: Iterable[str]) -> None:
        """Ends these instances and lowers the desired number accordingly."""
        for instance_id in instance_ids:
            self._backend.terminate_instance(instance_id, should_decrement=True)

    @property
    def desired(self) -> int:
        """Desired number of instances, whoever set it last."""
        return self._group.desired_capacity

    def delete(self) -> None:
        """Ends the instances, and deletes the group and the launch template."""
        self._backend.delete_auto_scaling_group(self.name)
        self._account.ec2.delete_launch_template(None, self._template.id)

    def instances(self) -> list[Instance]:
        """Running instances."""
        zones = {z.name: z.zone_id for z in self._account.ec2.describe_availability_zones()}
        return [
            Instance(i.id, i.private_dns_name, i.instance_type, zone, zones[zone])
            for i in self._running
            for zone in [i.placement.zone]
        ]

    @property
    def _backend(self) -> Any:
        return autoscaling_backends[self._account.id][self._account.region]

    @property
    def _group(self) -> Any:
        return self._backend.autoscaling_groups[self.name]

    @property
    def _running(self) -> list[Any]:
        group = self._backend.autoscaling_groups.get(self.name)
        states = group.instance_states if group else []
        return [s.instance for s in states if s.instance.state == "running"]


def _template_data(launch: Launch) -> dict[str, Any]:
    data: dict[str, Any] = {
        "InstanceType": launch.instance_type,
        "ImageId": launch.image_id,
        "SecurityGroupIds": [launch.security_group],
    }
    return data | ({"InstanceMarketOptions": {"MarketType": "spot"}} if launch.spot else {})
