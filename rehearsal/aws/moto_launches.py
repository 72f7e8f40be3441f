"""How moto launches and ends instances, put right where AWS does otherwise.

moto puts all instances of an Auto Scaling group into its first subnet, without what the launch
template says of network interfaces, disks and instance profile; and a terminated instance leaves
its network interface, and so subnet and security group, in use for ever.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import copy
from typing import Any, cast

from moto.autoscaling.models import ASG_NAME_TAG, FakeAutoScalingGroup, InstanceState
from moto.core.types import Base64EncodedString
from moto.ec2.models.instances import Instance
from moto.ec2.utils import convert_tag_spec, parse_user_data

DISK_SIZE = 8  # GiB, of Amazon Linux where nobody says another size

_moto_prepares_interfaces = Instance.prep_nics
_moto_terminates = Instance.terminate


def install() -> None:
    """Have moto launch and end instances this way, in the whole process. Safe to call again."""
    groups, instances = cast("Any", FakeAutoScalingGroup), cast("Any", Instance)
    groups.replace_autoscaling_group_instances = _launch
    instances.prep_nics = _prepare_interfaces
    instances.terminate = _terminate


def _launch(group: Any, count: int, tags: dict[str, str]) -> None:
    """Run so many instances more, each in the subnet that has the fewest of them."""
    for _ in range(count):
        version = group.ec2_launch_template.get_version(group.launch_template_version)
        instance = _run(group, version, {**tags, ASG_NAME_TAG: group.name})
        instance.autoscaling_group = group
        state = InstanceState(
            instance, protected_from_scale_in=group.new_instances_protected_from_scale_in
        )
        group.instance_states.append(state)


def _run(group: Any, version: Any, tags: dict[str, str]) -> Any:
    data, ec2 = version.data, group.ec2_backend
    disks = [_disk(disk) for disk in data.get("BlockDeviceMappings", [])]
    reservation = ec2.run_instances(
        version.image_id,
        1,
        _user_data(data),
        [],
        instance_type=version.instance_type,
        is_instance_type_default=False,
        region_name=group.region,
        launch_template={"LaunchTemplateId": version.template.id, "Version": version.number},
        instance_market_options=data.get("InstanceMarketOptions", {}).get("MarketType"),
        metadata_options=data.get("MetadataOptions", {}),
        tags={**convert_tag_spec(data.get("TagSpecifications", [])), "instance": tags},
        **_place(group, data),
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


def _place(group: Any, data: dict[str, Any]) -> dict[str, Any]:
    """The network interfaces and the subnet, or the zone where the interfaces are there already."""
    interfaces = data.get("NetworkInterfaces", [])
    existing = [nic["NetworkInterfaceId"] for nic in interfaces if nic.get("NetworkInterfaceId")]
    if existing:
        zone = group.ec2_backend.get_network_interface(existing[0]).availability_zone
        return {"nics": interfaces, "placement": zone}
    running = [state.instance.subnet_id for state in group.instance_states]
    subnets = (group.vpc_zone_identifier or "").split(",")
    return {"nics": interfaces, "subnet_id": min(subnets, key=running.count) or None}


def _user_data(data: dict[str, Any]) -> Base64EncodedString | None:
    # moto keeps that of a template's first version in this type, of the later ones as a text.
    text = data.get("UserData")
    return text if isinstance(text, Base64EncodedString) else parse_user_data(text)


def _disk(disk: dict[str, Any]) -> dict[str, Any]:
    # A disk of the image goes with its instance, unless the launch says otherwise.
    return {**disk, "Ebs": {"DeleteOnTermination": True, "VolumeSize": DISK_SIZE, **disk["Ebs"]}}


def _prepare_interfaces(instance: Any, nic_spec: list[dict[str, Any]], **details: Any) -> None:
    """An interface that is made with the instance goes with it, one that was there stays."""
    _moto_prepares_interfaces(instance, nic_spec, **details)
    said = {int(nic.get("DeviceIndex", 0)): nic for nic in nic_spec}
    for index, interface in instance.nics.items():
        spec = said.get(index, {})
        goes = not spec.get("NetworkInterfaceId") and spec.get("DeleteOnTermination") is not False
        interface.delete_on_termination = goes


def _terminate(instance: Any) -> Any:
    """As moto does; interfaces that stay are free again, addresses of those that go as well."""
    if instance.state == "terminated":
        # A second time is no error, and its interfaces may be another's by now.
        return copy.copy(instance.instance_state)
    before = _moto_terminates(instance)
    ec2 = instance.ec2_backend
    for interface in instance.nics.values():
        if interface.id in ec2.enis:
            interface.instance = interface.attachment_id = interface.attach_time = None
            interface.status = "available"
    for address in ec2.addresses:
        if address.eni and address.eni.id not in ec2.enis:
            ec2.disassociate_address(association_id=address.association_id)
    return before
