"""Auto Scaling groups in moto, with instances in all their subnets, as EKS makes them."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from dataclasses import dataclass
from itertools import cycle, islice
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
    """How a group launches instances."""

    instance_type: str
    image_id: str
    security_group: str
    spot: bool
    tags: dict[str, str]


@dataclass(frozen=True)
class Size:
    """How many instances a group has, may have and must have."""

    minimum: int
    maximum: int
    desired: int


def offered(region: str, instance_type: str) -> bool:
    """Whether EC2 has the type in the region."""
    offerings = INSTANCE_TYPE_OFFERINGS["region"].get(region, [])
    return any(offering["InstanceType"] == instance_type for offering in offerings)


def facts(instance_type: str) -> dict[str, Any]:
    """The type as DescribeInstanceTypes tells it."""
    return INSTANCE_TYPES[instance_type]


class InstanceGroup:
    """One Auto Scaling group. moto itself would put all its instances into the first subnet."""

    def __init__(self, account: MotoAccount, name: str, launch: Launch, subnets: list[str]) -> None:
        """Makes the launch template and the group, without instances."""
        self._account = account
        self._launch = launch
        self._subnets = subnets
        self.name = name
        self._template = account.ec2.create_launch_template(
            name,
            "",
            {"InstanceType": launch.instance_type, "ImageId": launch.image_id},
            {"launch-template": launch.tags},
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
        """Run or end instances until there are as many as desired, zone after zone."""
        group = self._group
        group.min_size, group.max_size = 0, max(size.maximum, len(self._running))
        missing = size.desired - len(self._running)
        if missing > 0:
            taken = [instance.subnet_id for instance in self._running]
            order = sorted(self._subnets, key=taken.count)
            ids = [self._run(subnet) for subnet in islice(cycle(order), missing)]
            self._backend.attach_instances(self.name, ids)
        elif missing < 0:
            ids = [instance.id for instance in self._running[missing:]]
            self._backend.detach_instances(self.name, ids, should_decrement=True)
            self._account.ec2.terminate_instances(ids)
        group.min_size, group.max_size = size.minimum, size.maximum

    def delete(self) -> None:
        """End the instances, the group and the launch template."""
        self.resize(Size(0, 0, 0))
        self._backend.delete_auto_scaling_group(self.name)
        self._account.ec2.delete_launch_template(None, self._template.id)

    def instances(self) -> list[Instance]:
        """Those that run."""
        zones = {z.name: z.zone_id for z in self._account.ec2.describe_availability_zones()}
        return [
            Instance(i.id, i.private_dns_name, i.instance_type, zone, zones[zone])
            for i in self._running
            for zone in [i.placement.zone]
        ]

    def _run(self, subnet_id: str) -> str:
        launch = self._launch
        reservation = self._account.ec2.run_instances(
            launch.image_id,
            1,
            None,
            [],
            instance_type=launch.instance_type,
            is_instance_type_default=False,
            subnet_id=subnet_id,
            security_group_ids=[launch.security_group],
            instance_market_options={"MarketType": "spot"} if launch.spot else None,
            tags={"instance": dict(launch.tags)},
            region_name=self._account.region,
        )
        instance = reservation.instances[0]
        for interface in instance.nics.values():
            # As on AWS; moto would keep it, and with it the security group.
            interface.delete_on_termination = True
        return instance.id

    @property
    def _backend(self) -> Any:
        return autoscaling_backends[self._account.id][self._account.region]

    @property
    def _group(self) -> Any:
        return self._backend.autoscaling_groups[self.name]

    @property
    def _running(self) -> list[Any]:
        found = self._backend.autoscaling_groups.get(self.name)
        states = found.instance_states if found else []
        return [s.instance for s in states if s.instance.state == "running"]
