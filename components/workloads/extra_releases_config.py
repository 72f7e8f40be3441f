"""The stack file's settings of the user's own Helm releases."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from ..kubernetes.charts import INSTALL_SECONDS
from ..section import Mistake, Section

OCI = "oci://"

_DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
ReleaseName = Annotated[str, Field(pattern=_DNS_LABEL, max_length=53)]
"""Name of a release. Helm allows 53 characters, because names of objects begin with it."""
NamespaceName = Annotated[str, Field(pattern=_DNS_LABEL, max_length=63)]


class ExtraReleaseConfig(Section):
    """A Helm chart of your own, installed under its key."""

    chart: str = Field(pattern=r"^(oci://\S+/[^\s/]+|\.{0,2}/\S+|[a-z0-9][a-z0-9._-]*)$")
    """`oci://…`, a chart's name with `repository`, or the path of a folder: `./…`, `/…`."""
    repository: str | None = Field(default=None, pattern=r"^\S+$")
    """Address of the repository whose index lists the chart: `https://…`."""
    version: str | None = Field(default=None, pattern=r"^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$")
    """Exact version; absent for a folder, whose Chart.yaml has it."""
    namespace: NamespaceName
    """Namespace of the release."""
    create_namespace: bool = False
    """If true, Helm creates the namespace. It stays when the release is deleted."""
    values: Mapping[str, Any] = {}
    """Values as in the chart's values.yaml, except null: an empty value arrives as an empty
    text.
    """
    timeout_seconds: int = Field(default=INSTALL_SECONDS, ge=1)
    """Seconds that Helm waits until everything in the chart is ready, or gone."""

    @property
    def is_folder(self) -> bool:
        """True if the chart is a local folder, which never comes from a mirror."""
        return self.chart.startswith((".", "/"))

    def mistakes(self) -> Iterator[Mistake]:
        """Each way of naming a chart needs or forbids version and repository."""
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
