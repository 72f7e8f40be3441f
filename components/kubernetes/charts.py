"""Sources of Helm charts and their images: upstream's registries, or mirrors of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

INSTALL_SECONDS = 600
"""Time limit of an installation. A pod on Fargate takes one or two minutes; Helm's default of 300 s
has been too short.
"""

UNQUOTED = (
    "would be cut short or torn apart, since the chart prints it without quotes: no `: ` or ` #` "
    "in it, no `:` or space at its end"
)


def survives_unquoted(flag: str, text: str) -> bool:
    """True if a chart may print `- --flag=text` without quotes, as most of upstream's charts do.

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
    """Address of the repository, `oci://…` or `https://…`, without the chart's name."""
    version: str
    """Exact version."""


@dataclass(frozen=True, kw_only=True)
class Installation:
    """Namespace and values of a chart's installation."""

    namespace: str
    values: Mapping[str, Any]
    skip_crds: bool = False
    """True to leave out the CRDs beside the chart's templates, which Helm never upgrades."""


@dataclass(frozen=True, kw_only=True)
class ChartSource:
    """Source of charts and images: upstream, unless mirrors are given."""

    mirror: str | None = None
    """A folder with a chart in each sub-folder, or an `oci://` address with copies of all
    charts.
    """
    images: str | None = None
    """A registry with copies of the images, each under its own path, e.g.
    `111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror`.
    """

    def locate(self, chart: Chart) -> dict[str, Any]:
        """Arguments by which a Release finds the chart: `chart`, and `repository_opts`.

        Helm takes the address of an OCI chart, or a path, as the chart itself; it looks up a chart
        of an HTTP repository by name in the repository's index.
        """
        place = (self.mirror or chart.repository).rstrip("/")
        if place.startswith(("http://", "https://")):
            return {"chart": chart.name, "repository_opts": {"repo": place}}
        return {"chart": f"{place}/{chart.name}"}

    def image(self, repository: str) -> str:
        """An image's repository, for example `public.ecr.aws/eks/x`, or its copy in the mirror."""
        if self.images is None:
            return repository
        return f"{self.images.rstrip('/')}/{repository.partition('/')[2]}"
