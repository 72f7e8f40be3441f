"""Where Helm charts come from: upstream's registries, or one mirror for all."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ChartSource:
    """Upstream, unless a mirror is given."""

    mirror: str | None = None
    """A folder with a chart in each sub-folder, or an `oci://` address to which all were copied."""

    def locate(self, chart: str, repository: str) -> str:
        """What Helm is given as the chart: an address or a path. `repository` is upstream's."""
        return f"{(self.mirror or repository).rstrip('/')}/{chart}"
