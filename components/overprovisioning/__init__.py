"""Room that is kept free, by pods that any other pod may push aside, or by Karpenter itself."""

from components.overprovisioning.config import (
    NAMESPACE,
    POD_LABELS,
    OverprovisioningConfig,
    TolerationConfig,
)
from components.overprovisioning.overprovisioning import Overprovisioning, OverprovisioningArgs
from components.overprovisioning.pause_pods import PRIORITY

__all__ = [
    "NAMESPACE",
    "POD_LABELS",
    "PRIORITY",
    "Overprovisioning",
    "OverprovisioningArgs",
    "OverprovisioningConfig",
    "TolerationConfig",
]
