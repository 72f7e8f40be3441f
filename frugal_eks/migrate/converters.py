"""The converters: the first that handles a document converts it."""

from collections.abc import Mapping
from typing import Any, Protocol

from frugal_eks.migrate import chart_values, iam_policy, workloads
from frugal_eks.migrate.eksctl import cluster_config
from frugal_eks.migrate.karpenter import current, node_template, provisioner, settings
from frugal_eks.migrate.notes import Context, Converted
from frugal_eks.migrate.reader import Reader


class Converter(Protocol):
    """What each of the modules is."""

    def handles(self, document: Mapping[str, Any], /) -> bool:
        """Whether it is one that this converter knows."""
        ...

    def convert(self, source: Reader, context: Context) -> Converted:
        """Its part of the stack file. Raises ShapeError."""
        ...


CONVERTERS: tuple[Converter, ...] = (
    cluster_config,
    provisioner,
    node_template,
    current,
    settings,
    workloads,
    chart_values,
    iam_policy,
)
KNOWN = (
    "a ClusterConfig of eksctl, Provisioner, AWSNodeTemplate, NodePool, EC2NodeClass, "
    "karpenter-global-settings, values of aws-node-termination-handler, or one of the Deployments, "
    "Services and PriorityClasses in docs/migrate.md"
)


def converter_of(document: Mapping[str, Any]) -> Converter | None:
    """None: nobody knows it."""
    return next((each for each in CONVERTERS if each.handles(document)), None)
