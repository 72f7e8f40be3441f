"""Helm releases of the user's own, which start when the platform is ready."""

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
    """The stack file's part, and the platform."""

    releases: Mapping[str, ExtraReleaseConfig]
    """By their names."""
    charts: ChartSource
    """Where charts come from."""
    needs: Sequence[pulumi.Resource]
    """All of the platform: releases start after it and go before it."""
    provider: pulumi.ProviderResource | None = None
    """The provider of the cluster; absent: by opts."""


class ExtraReleases(pulumi.ComponentResource):
    """Side by side, each named by its key, in the stack and in the cluster."""

    releases: Mapping[str, k8s.helm.v3.Release]
    """By the keys of the stack file."""

    def __init__(
        self, name: str, args: ExtraReleasesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ExtraReleases", name, None, opts)
        self.releases = {
            key: k8s.helm.v3.Release(
                f"{name}-{key}",
                # Else the provider adds random hex, and the names of objects with it.
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
    """Where the chart lies; a mirror has it under its own name."""
    if config.is_folder:
        return {"chart": config.chart}
    repository, _, name = config.chart.rpartition("/")
    chart = Chart(
        name=name,
        repository=config.repository or repository,
        version=config.version or "",
    )
    return charts.locate(chart)
