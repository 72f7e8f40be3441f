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
