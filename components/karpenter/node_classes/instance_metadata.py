"""Access to the instance metadata service, and with it to the node's role."""

from typing import Literal

from pydantic import Field

from .api_section import ApiSection

Switch = Literal["enabled", "disabled"]


class MetadataOptionsConfig(ApiSection):
    """Options of the instance metadata service; all are always sent."""

    http_endpoint: Switch = "enabled"
    """`disabled` closes the service to everything on the node; AWS's images then cannot join."""
    http_protocol_ipv6: Switch = "disabled"
    """Whether the service answers over IPv6 too."""
    http_put_response_hop_limit: int = Field(default=1, ge=1, le=64)
    """Network hops that a response may take. 1 keeps pods away from the node's role; 2 lets pods
    use the service.
    """
    http_tokens: Literal["required", "optional"] = "required"
    """`required` allows version 2 of the service only. `optional` is for old programs without
    tokens: a request that a pod was tricked into sending can then read the node's credentials.
    """
