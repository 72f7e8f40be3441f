"""The stack file's settings of an existing cluster."""

from pydantic import Field

from ..placement import RunsOn
from ..section import Section


class ExistingClusterConfig(Section):
    """An existing cluster by name. Its version, network and access stay as they are."""

    existing: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$")
    """The cluster's name, in the stack's account and region."""
    runs_on: RunsOn = RunsOn.NODES
    """Compute of pods in kube-system there, which decides how they get AWS permissions."""
