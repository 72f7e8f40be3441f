"""The VPC: subnets over several zones, a way out to the internet, endpoints; or one that exists."""

from .config import ExistingNetworkConfig, NetworkConfig, NewNetworkConfig
from .network import Network, NetworkArgs

__all__ = ["ExistingNetworkConfig", "Network", "NetworkArgs", "NetworkConfig", "NewNetworkConfig"]
