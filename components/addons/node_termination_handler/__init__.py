"""Node Termination Handler: drains nodes of Auto Scaling groups before AWS takes them away."""

from .component import (
    CHART,
    SERVICE_ACCOUNT,
    NodeTerminationHandler,
    NodeTerminationHandlerArgs,
    imds_values,
    queue_values,
)
from .config import (
    HOOK_SECONDS,
    ImdsHandlerConfig,
    NodeTerminationHandlerConfig,
    QueueHandlerConfig,
    managed_tag,
)
from .policy import iam_policy
from .who_drains import NOBODY, handlers, looks_after

__all__ = [
    "CHART",
    "HOOK_SECONDS",
    "NOBODY",
    "SERVICE_ACCOUNT",
    "ImdsHandlerConfig",
    "NodeTerminationHandler",
    "NodeTerminationHandlerArgs",
    "NodeTerminationHandlerConfig",
    "QueueHandlerConfig",
    "handlers",
    "iam_policy",
    "imds_values",
    "looks_after",
    "managed_tag",
    "queue_values",
]
