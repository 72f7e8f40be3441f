"""All sample workloads as one component."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from ...kubernetes.charts import ChartSource
from .config import SampleWorkloadsConfig
from .ecsdemo import declare_ecsdemo
from .inflate import declare_inflate


@dataclass(frozen=True, kw_only=True)
class SampleWorkloadsArgs:
    """The stack file's settings of the samples, and the resources that launch nodes."""

    config: SampleWorkloadsConfig
    """The stack file's settings of the samples."""
    needs: Sequence[pulumi.Resource]
    """Resources that the pods need, and that must outlive them in a destroy."""
    charts: ChartSource = field(default_factory=ChartSource)
    """Source of images: upstream, or a mirror."""


class SampleWorkloads(pulumi.ComponentResource):
    """The sample workloads. A destroy deletes them first, while an autoscaler still runs to remove
    their nodes.
    """

    def __init__(
        self, name: str, args: SampleWorkloadsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:SampleWorkloads", name, None, opts)
        on_nodes = pulumi.ResourceOptions(parent=self, depends_on=list(args.needs))
        if args.config.inflate:
            declare_inflate(args.config.inflate, args.charts, on_nodes)
        if args.config.ecsdemo:
            declare_ecsdemo(args.config.ecsdemo, args.charts, on_nodes)
        self.register_outputs({})
