"""The user's own Helm releases, which start when the platform is ready."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..kubernetes.charts import Chart, ChartSource
from ..kubernetes.release_lock import explained
from .extra_releases_config import ExtraReleaseConfig


@dataclass(frozen=True, kw_only=True)
class ExtraReleasesArgs:
    """The user's releases, and the platform that they wait for."""

    releases: Mapping[str, ExtraReleaseConfig]
    """Settings of the releases by name."""
    charts: ChartSource
    """Source of charts."""
    needs: Sequence[pulumi.Resource]
    """All resources of the platform: releases start after them and are deleted before them."""
    provider: pulumi.ProviderResource | None = None
    """The cluster's Kubernetes provider; absent: the one in opts."""


class ExtraReleases(pulumi.ComponentResource):
    """The user's Helm releases, installed in parallel, each named by its key in the stack file."""

    releases: Mapping[str, k8s.helm.v3.Release]
    """The releases by their keys in the stack file."""

    def __init__(
        self, name: str, args: ExtraReleasesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ExtraReleases", name, None, opts)
        self.releases = {
            key: k8s.helm.v3.Release(
                f"{name}-{key}",
                # The provider would add random hex to this name, and so to those of objects.
                name=key,
                **_place(config, args.charts),
                version=config.version,
                namespace=config.namespace,
                create_namespace=config.create_namespace,
                values=config.values,
                timeout=config.timeout_seconds,
                opts=pulumi.ResourceOptions.merge(
                    pulumi.ResourceOptions(
                        parent=self, provider=args.provider, depends_on=list(args.needs)
                    ),
                    explained(key, config.namespace),
                ),
            )
            for key, config in args.releases.items()
        }
        self.register_outputs({})


def _place(config: ExtraReleaseConfig, charts: ChartSource) -> dict[str, Any]:
    """Arguments by which a Release finds its chart; a mirror has it under the chart's own name."""
    if config.is_folder:
        return {"chart": config.chart}
    repository, _, name = config.chart.rpartition("/")
    chart = Chart(
        name=name,
        repository=config.repository or repository,
        version=config.version or "",
    )
    return charts.locate(chart)
