"""A range of IPv4 addresses, as a stack file writes it."""

from ipaddress import IPv4Network
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticKnownError


def _written(value: Any) -> Any:
    # Of a bare number, or of true, the type would make an address too.
    if isinstance(value, str | IPv4Network):
        return value
    raise PydanticKnownError("string_type")


AddressRange = Annotated[
    IPv4Network,
    BeforeValidator(_written),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^[0-9]{1,3}(\.[0-9]{1,3}){3}(/[0-9.]+)?$",
            "examples": ["10.20.0.0/16"],
        }
    ),
]
"""A range of IPv4 addresses, for example `10.20.0.0/16`; without a length it is one address."""

PRIVATE_RANGES = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
"""RFC 1918 and RFC 6598: ranges that a VPC and the networks behind it can have."""


def is_private(addresses: IPv4Network) -> bool:
    """Whether all addresses of a range are private: nobody connects from them over the internet."""
    return any(addresses.subnet_of(IPv4Network(each)) for each in PRIVATE_RANGES)
