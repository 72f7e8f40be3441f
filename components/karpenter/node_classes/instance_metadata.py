"""Who reaches the instance metadata service, and with it the rights of the node."""

from typing import Literal

from pydantic import Field

from .api_section import ApiSection

Switch = Literal["enabled", "disabled"]


class MetadataOptionsConfig(ApiSection):
    """The service of each instance; all of it is written out."""

    http_endpoint: Switch = "enabled"
    """Disabled, nothing on the node reaches it; AWS's images then do not join."""
    http_protocol_ipv6: Switch = "disabled"
    """Whether the service answers by IPv6 too."""
    http_put_response_hop_limit: int = Field(default=1, ge=1, le=64)
    """1 keeps pods away from the node's role; pods that need metadata ask for 2."""
    http_tokens: Literal["required", "optional"] = "required"
    """Required: version 2 of the service only. Optional lets a request that a pod was tricked into
    read the node's credentials: for old programs that know no tokens."""
