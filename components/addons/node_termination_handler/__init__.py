"""Node Termination Handler: drains nodes of Auto Scaling groups before AWS takes them away."""

from components.addons.node_termination_handler.config import (
    HOOK_SECONDS,
    ImdsHandlerConfig,
    NodeTerminationHandlerConfig,
    QueueHandlerConfig,
    managed_tag,
)
from components.addons.node_termination_handler.node_termination_handler import (
    CHART,
    SERVICE_ACCOUNT,
    NodeTerminationHandler,
    NodeTerminationHandlerArgs,
    imds_values,
    queue_values,
)
from components.addons.node_termination_handler.policy import iam_policy
from components.addons.node_termination_handler.who_drains import NOBODY, handlers, looks_after

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
