"""A Helm release whose chart comes from the stack's chart source."""

import pulumi
import pulumi_kubernetes as k8s

from .charts import INSTALL_SECONDS, Chart, ChartSource, Installation
from .release_lock import explained


def chart_release(
    name: str,
    chart: Chart,
    into: Installation,
    source: ChartSource,
    opts: pulumi.ResourceOptions,
) -> k8s.helm.v3.Release:
    """The release `name`, which installs the chart under the chart's name; ready when all its
    objects are.
    """
    return k8s.helm.v3.Release(
        name,
        # The provider would add random hex to the name, and so to those of objects and accounts.
        name=chart.name,
        **source.locate(chart),
        version=chart.version,
        namespace=into.namespace,
        values=into.values,
        skip_crds=into.skip_crds,
        timeout=INSTALL_SECONDS,
        opts=pulumi.ResourceOptions.merge(opts, explained(chart.name, into.namespace)),
    )
