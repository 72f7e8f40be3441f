"""What a stack file may say of a cluster that exists."""

from pydantic import Field

from ..placement import RunsOn
from ..section import Section


class ExistingClusterConfig(Section):
    """The name of a cluster that exists. Its version, network and access stay as they are."""

    existing: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$")
    """The cluster's name, in the stack's account and region."""
    runs_on: RunsOn = RunsOn.NODES
    """Where pods of kube-system run there, which decides how they get AWS rights."""
