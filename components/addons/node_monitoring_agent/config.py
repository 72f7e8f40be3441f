"""The section of the EKS node monitoring agent in the stack file."""

from collections.abc import Mapping
from typing import ClassVar

from ...cluster.eks_addons_config import EksAddonConfig
from ...kubernetes.labels import LabelKey, LabelValue
from ...kubernetes.quantities import Quantity
from ..addon_config import AddonConfig

ADDON = "eks-node-monitoring-agent"


class NodeMonitoringAgentConfig(EksAddonConfig, AddonConfig):
    """EKS node monitoring agent: on each node it reads the logs of kernel, network, storage,
    container runtime and accelerators, and writes conditions such as `KernelReady` to the node. The
    agent only reports: `nodeRepair` of `karpenter.controller` and of managed groups acts on the
    conditions. It costs each node 10m and 30Mi.
    """

    POD_LABELS: ClassVar[Mapping[str, str]] = {"app.kubernetes.io/name": ADDON}
    ON_EVERY_NODE: ClassVar[bool] = True

    node_selector: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes that run an agent. Absent: all EC2 nodes."""
    memory: Quantity = "200Mi"
    """Memory limit of each agent; above it the agent is killed and restarts."""
