"""Helm releases of the user's own, which start when the platform is ready."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pulumi
import pulumi_kubernetes as k8s
from pydantic import Field

from ..kubernetes.charts import INSTALL_SECONDS, Chart, ChartSource
from ..kubernetes.release_lock import explained
from ..section import Mistake, Section

OCI = "oci://"

_DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
ReleaseName = Annotated[str, Field(pattern=_DNS_LABEL, max_length=53)]
"""Helm takes no more: names of objects begin with it."""
NamespaceName = Annotated[str, Field(pattern=_DNS_LABEL, max_length=63)]


class ExtraReleaseConfig(Section):
    """One chart, installed under its key."""

    chart: str = Field(pattern=r"^(oci://\S+/[^\s/]+|\.{0,2}/\S+|[a-z0-9][a-z0-9._-]*)$")
    """`oci://…`, a chart's name with `repository`, or the path of a folder: `./…`, `/…`."""
    repository: str | None = Field(default=None, pattern=r"^\S+$")
    """The address whose index has the chart: `https://…`."""
    version: str | None = Field(default=None, pattern=r"^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$")
    """Exact; a folder has the one of its Chart.yaml."""
    namespace: NamespaceName
    """Where the release goes."""
    create_namespace: bool = False
    """Whether Helm makes the namespace. It stays when the release goes."""
    values: Mapping[str, Any] = {}
    """As in the chart's values.yaml, but for null: an empty value arrives as an empty text."""
    timeout_seconds: int = Field(default=INSTALL_SECONDS, ge=1)
    """How long Helm waits until all that the chart makes is ready, or gone."""

    @property
    def is_folder(self) -> bool:
        """Whether the chart lies beside the program, and so comes from no mirror."""
        return self.chart.startswith((".", "/"))

    def mistakes(self) -> Iterator[Mistake]:
        """Each way of naming a chart has its own companions."""
        if self.is_folder:
            if self.version:
                problem = "a folder has the version of its Chart.yaml: drop it"
                yield Mistake("version", problem, self.version)
        elif not self.version:
            problem = "is missing: name one, or a chart would change without a change here"
            yield Mistake("version", problem)
        if self.is_folder or self.chart.startswith(OCI):
            if self.repository:
                problem = "chart is an address by itself: drop one of the two"
                yield Mistake("repository", problem, self.repository)
        elif not self.repository:
            yield Mistake(
                "chart",
                "is a name alone: add repository: https://…, or write oci://… or ./… before it",
                self.chart,
            )
        elif not self.repository.startswith("https://"):
            problem = f"does not begin with https://; if it is {OCI}, write it before chart"
            yield Mistake("repository", problem, self.repository)


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
