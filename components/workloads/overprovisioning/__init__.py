"""Room that is kept free, by pods that any other pod may push aside, or by Karpenter itself."""

from .config import (
    NAMESPACE,
    POD_LABELS,
    OverprovisioningConfig,
    TolerationConfig,
)
from .overprovisioning import Overprovisioning, OverprovisioningArgs
from .pause_pods import PRIORITY

__all__ = [
    "NAMESPACE",
    "POD_LABELS",
    "PRIORITY",
    "Overprovisioning",
    "OverprovisioningArgs",
    "OverprovisioningConfig",
    "TolerationConfig",
]
