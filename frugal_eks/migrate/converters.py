"""Lists the converters; the first one that handles a document converts it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from frugal_eks.migrate import chart_values, iam_policy, workloads
from frugal_eks.migrate.eksctl import cluster_config
from frugal_eks.migrate.karpenter import current, node_template, provisioner, settings
from frugal_eks.migrate.notes import Context, Converted
from frugal_eks.migrate.reader import Reader


class Converter(NamedTuple):
    """Converts one kind of document."""

    handles: Callable[[Mapping[str, Any]], bool]
    """True for a document of that kind."""
    convert: Callable[[Reader, Context], Converted]
    """Returns the document's part of the stack file. Raises ShapeError."""


CONVERTERS = (
    Converter(cluster_config.handles, cluster_config.convert_cluster_config),
    Converter(provisioner.handles, provisioner.convert_provisioner),
    Converter(node_template.handles, node_template.convert_node_template),
    Converter(current.handles, current.convert_v1_object),
    Converter(settings.handles, settings.convert_global_settings),
    Converter(workloads.handles, workloads.convert_workload),
    Converter(chart_values.handles, chart_values.convert_termination_handler),
    Converter(iam_policy.handles, iam_policy.convert_iam_policy),
)
KNOWN = (
    "a ClusterConfig of eksctl, Provisioner, AWSNodeTemplate, NodePool, EC2NodeClass, "
    "karpenter-global-settings, values of aws-node-termination-handler, or one of the Deployments, "
    "Services and PriorityClasses in docs/migrate.md"
)


def converter_of(document: Mapping[str, Any]) -> Converter | None:
    """The converter of a document; None if there is none."""
    return next((each for each in CONVERTERS if each.handles(document)), None)
