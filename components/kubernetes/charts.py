"""Where Helm charts and their images come from: upstream's registries, or mirrors of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

INSTALL_SECONDS = 600
"""A pod on Fargate takes a minute, at times two; Helm's own 300 s have been too short."""

UNQUOTED = (
    "would be cut short or torn apart, since the chart prints it without quotes: no `: ` or ` #` "
    "in it, no `:` or space at its end"
)


def survives_unquoted(flag: str, text: str) -> bool:
    """Whether a chart may print `- --flag=text` without quotes, as upstream's charts mostly do.

    YAML must read the line as one text, unchanged: `: ` would make it a map, ` #` a comment.
    """
    argument = f"--{flag}={text}"
    try:
        return yaml.safe_load(f"- {argument}") == [argument]
    except yaml.YAMLError:
        return False


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart as upstream publishes it."""

    name: str
    repository: str
    """`oci://…` or `https://…`, without the chart's name."""
    version: str
    """Exact."""


@dataclass(frozen=True, kw_only=True)
class Installation:
    """What a chart is installed with."""

    namespace: str
    values: Mapping[str, Any]
    skip_crds: bool = False
    """Leave out the CRDs that lie beside the chart's templates: Helm never upgrades those."""


@dataclass(frozen=True, kw_only=True)
class ChartSource:
    """Upstream, unless mirrors are given."""

    mirror: str | None = None
    """A folder with a chart in each sub-folder, or an `oci://` address to which all were copied."""
    images: str | None = None
    """A registry to which the images were copied, each under its own path, e.g.
    `111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror`."""

    def locate(self, chart: Chart) -> dict[str, Any]:
        """The arguments by which a Release finds the chart: `chart`, and `repository_opts`.

        Helm takes the address of an OCI chart, or a path, as the chart itself; a chart of an HTTP
        repository it looks up by name in the repository's index.
        """
        place = (self.mirror or chart.repository).rstrip("/")
        if place.startswith(("http://", "https://")):
            return {"chart": chart.name, "repository_opts": {"repo": place}}
        return {"chart": f"{place}/{chart.name}"}

    def image(self, repository: str) -> str:
        """An image's repository, for example `public.ecr.aws/eks/x`, or the mirror's copy."""
        if self.images is None:
            return repository
        return f"{self.images.rstrip('/')}/{repository.partition('/')[2]}"
