"""Corrects how moto launches and ends instances where AWS behaves differently.

moto puts all instances of an Auto Scaling group into its first subnet, without what the launch
template says of network interfaces, disks and instance profile; and a terminated instance leaves
its network interface, and so subnet and security group, in use for ever.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import copy
from typing import Any, cast

from moto.core.types import Base64EncodedString
from moto.ec2.models.instances import Instance
from moto.ec2.models.subnets import Subnet
from moto.ec2.utils import convert_tag_spec, parse_user_data

from rehearsal.aws.scaling import events
from rehearsal.aws.scaling.capacity import Choice, zones_of
from rehearsal.aws.scaling.model import in_service

DISK_SIZE = 8  # GiB, of Amazon Linux where nobody says another size

_moto_prepares_interfaces = Instance.prep_nics
_moto_terminates = Instance.terminate
_moto_stops = Instance.stop
_moto_gives_address = Subnet.get_available_subnet_ip


def install() -> None:
    """Makes moto launch and end instances this way, in the whole process. Safe to call again."""
    instances = cast("Any", Instance)
    instances.prep_nics = _prepare_interfaces
    instances.terminate = _terminate
    instances.stop = _stop
    cast("Any", Subnet).get_available_subnet_ip = _address


def run(group: Any, version: Any, tags: dict[str, str], choice: Choice) -> Any:
    """Starts an instance of a group by a version of its launch template, in the subnet that offers
    the type and has the fewest instances.
    """
    data, ec2 = version.data, group.ec2_backend
    disks = [_disk(disk) for disk in data.get("BlockDeviceMappings", [])]
    reservation = ec2.run_instances(
        version.image_id,
        1,
        _user_data(data),
        [],
        instance_type=choice.instance_type,
        is_instance_type_default=False,
        region_name=group.region,
        launch_template={"LaunchTemplateId": version.template.id, "Version": version.number},
        instance_market_options="spot" if choice.spot else None,
        metadata_options=data.get("MetadataOptions", {}),
        tags={**convert_tag_spec(data.get("TagSpecifications", [])), "instance": tags},
        **_place(group, data, choice.instance_type),
        **({"block_device_mappings": disks} if disks else {}),
    )
    instance = reservation.instances[0]
    if profile := data.get("IamInstanceProfile"):
        ec2.associate_iam_instance_profile(
            instance_id=instance.id,
            iam_instance_profile_name=profile.get("Name"),
            iam_instance_profile_arn=profile.get("Arn"),
        )
    return instance


def _place(group: Any, data: dict[str, Any], instance_type: str) -> dict[str, Any]:
    """Network interfaces and the subnet; the zone instead if the interfaces exist already."""
    interfaces = data.get("NetworkInterfaces", [])
    existing = [nic["NetworkInterfaceId"] for nic in interfaces if nic.get("NetworkInterfaceId")]
    if existing:
        zone = group.ec2_backend.get_network_interface(existing[0]).availability_zone
        return {"nics": interfaces, "placement": zone}
    if not group.vpc_zone_identifier:
        return {"nics": interfaces, "placement": group.availability_zones[0]}
    running = [state.instance.subnet_id for state in in_service(group)]
    subnets = group.vpc_zone_identifier.split(",")
    zones = zones_of(group.region, instance_type)
    on_offer = [s for s in subnets if group.ec2_backend.get_subnet(s).availability_zone in zones]
    return {"nics": interfaces, "subnet_id": min(on_offer or subnets, key=running.count)}


def _user_data(data: dict[str, Any]) -> Base64EncodedString | None:
    # moto keeps that of a template's first version in this type, of the later ones as a text.
    text = data.get("UserData")
    return text if isinstance(text, Base64EncodedString) else parse_user_data(text)


def _disk(disk: dict[str, Any]) -> dict[str, Any]:
    # A disk of the image goes with its instance, unless the launch says otherwise.
    return {**disk, "Ebs": {"DeleteOnTermination": True, "VolumeSize": DISK_SIZE, **disk["Ebs"]}}


def _prepare_interfaces(instance: Any, nic_spec: list[dict[str, Any]], **details: Any) -> None:
    """Marks interfaces created with the instance as deleted with it; existing ones stay."""
    _moto_prepares_interfaces(instance, nic_spec, **details)
    said = {int(nic.get("DeviceIndex", 0)): nic for nic in nic_spec}
    for index, interface in instance.nics.items():
        spec = said.get(index, {})
        goes = not spec.get("NetworkInterfaceId") and spec.get("DeleteOnTermination") is not False
        interface.delete_on_termination = goes


def _address(subnet: Any, instance: Any) -> str:
    """A private address that no instance had yet, while there is one: else a node would get the
    name of the last one.
    """
    given_back, subnet._unused_ips = subnet._unused_ips, set()
    try:
        return _moto_gives_address(subnet, instance)
    except StopIteration:
        subnet._unused_ips, given_back = given_back, set()
        return _moto_gives_address(subnet, instance)
    finally:
        subnet._unused_ips |= given_back


def _stop(instance: Any) -> Any:
    """Stops as moto does, and reports it as EC2 does."""
    before = _moto_stops(instance)
    if before.name != "stopped":
        events.state_changes(instance, ("stopping", "stopped"))
    return before


def _terminate(instance: Any) -> Any:
    """Terminates as moto does; frees interfaces that stay, and addresses of those that are
    deleted.
    """
    if instance.state == "terminated":
        # A second time is no error, and its interfaces may be another's by now.
        return copy.copy(instance.instance_state)
    before = _moto_terminates(instance)
    events.state_changes(instance, ("shutting-down", "terminated"))
    ec2 = instance.ec2_backend
    for interface in instance.nics.values():
        if interface.id in ec2.enis:
            interface.instance = interface.attachment_id = interface.attach_time = None
            interface.status = "available"
    for address in ec2.addresses:
        if address.eni and address.eni.id not in ec2.enis:
            ec2.disassociate_address(association_id=address.association_id)
    return before
