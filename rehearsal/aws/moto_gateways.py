"""Corrects moto's deletion of a NAT gateway, which keeps the gateway's address and interface.

AWS disassociates the address of a deleted gateway (EC2's API reference, DeleteNatGateway) and takes
away the network interface that it had made for it; in moto both stay in use for ever.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from typing import Any, cast

from moto.ec2.models.nat_gateways import NatGatewayBackend

_moto_deletes = NatGatewayBackend.delete_nat_gateway


def install() -> None:
    """Makes moto delete gateways this way, in the whole process. Safe to call again."""
    cast("Any", NatGatewayBackend).delete_nat_gateway = delete


def delete(ec2: Any, nat_gateway_id: str) -> Any:
    """Moto's own deletion, which also ends the use of the gateway's address and interface."""
    gateway = _moto_deletes(ec2, nat_gateway_id)
    for address in gateway.address_set:
        if association := address.pop("associationId", None):
            ec2.disassociate_address(association_id=association)
        if (interface := address["networkInterfaceId"]) in ec2.enis:
            ec2.delete_network_interface(interface)
    return gateway
