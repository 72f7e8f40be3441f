"""The network interfaces of interface endpoints, put right where moto leaves them as they are.

They have the endpoint's own security groups, and there is one in each of its subnets, also after
an update: neither a group nor a subnet can be deleted while an endpoint uses it.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from typing import Any, cast

from moto.ec2.models import EC2Backend
from moto.ec2.models.vpcs import VPCEndPoint

_moto_creates = EC2Backend.create_vpc_endpoint
_moto_modifies = VPCEndPoint.modify


def install() -> None:
    """Makes moto treat endpoints this way, in the whole process. Safe to call again."""
    cast("Any", EC2Backend).create_vpc_endpoint = _create
    cast("Any", VPCEndPoint).modify = _modify


def _create(ec2: Any, *arguments: Any, **details: Any) -> Any:
    endpoint = _moto_creates(ec2, *arguments, **details)
    _follow(endpoint)
    return endpoint


def _modify(endpoint: Any, *arguments: Any, **details: Any) -> None:
    _moto_modifies(endpoint, *arguments, **details)
    _follow(endpoint)


def _follow(endpoint: Any) -> None:
    if endpoint.vpc_endpoint_type != "Interface":
        return
    ec2, groups = endpoint.ec2_backend, endpoint.security_group_ids
    there = {ec2.enis[eni].subnet.id: ec2.enis[eni] for eni in endpoint.network_interface_ids}
    for subnet_id in there.keys() - set(endpoint.subnet_ids):
        there.pop(subnet_id).delete()
    for subnet_id in endpoint.subnet_ids:
        if subnet_id not in there:
            subnet = ec2.get_subnet(subnet_id)
            address = subnet.get_available_subnet_ip(None)
            there[subnet_id] = ec2.create_network_interface(subnet, address)
    for interface in there.values():
        interface.description = f"VPC Endpoint Interface {endpoint.id}"
        if groups:
            interface._group_set = [ec2.get_security_group_from_id(group) for group in groups]
    endpoint.network_interface_ids = [interface.id for interface in there.values()]
