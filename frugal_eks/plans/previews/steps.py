"""Steps of a preview as the engine writes them.

Source: previewStep and stateForJSONOutput in pkg/backend/display of pulumi 3.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Placeholder for a value that is known only after `up`."""
SECRET = "[secret]"
"""Placeholder for a secret."""
STACK = "pulumi:pulumi:Stack"
PROVIDERS = "pulumi:providers:"


class Written(BaseModel):
    """A part of the file. Unknown keys are ignored: newer engines add some."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Resource(Written):
    """A resource on one side of a step."""

    urn: str
    type: str
    """Type token, such as `aws:ec2/vpc:Vpc`."""
    custom: bool = True
    """False for a component."""
    id: str = ""
    """Physical id; empty while the resource does not exist."""
    parent: str = ""
    """URN of the parent; empty for the stack itself."""
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    """URNs of the resources that this one depends on."""
    inputs: Mapping[str, Any] = {}
    """Inputs from the program. May hold UNKNOWN and SECRET at any depth."""
    outputs: Mapping[str, Any] = {}
    """The provider's outputs of the last `up`; empty if there was none."""
    protect: bool = False
    retain_on_delete: bool = False

    @property
    def name(self) -> str:
        """Last part of the URN."""
        return self.urn.rpartition("::")[2]

    @property
    def is_thing(self) -> bool:
        """True if the resource is neither a component, nor a provider, nor the stack."""
        return self.custom and self.type != STACK and not self.type.startswith(PROVIDERS)


class PropertyDiff(Written):
    """Difference of one property."""

    kind: str
    """add, delete or update; with the suffix -replace if it replaces the resource."""
    input_diff: bool = False
    """True if inputs were compared with inputs, not with what the provider had read."""


class PreviewStep(Written):
    """One step of the engine; a replacement takes three steps."""

    op: str
    urn: str
    old: Resource | None = Field(default=None, alias="oldState")
    new: Resource | None = Field(default=None, alias="newState")
    detailed_diff: Mapping[str, PropertyDiff] | None = None
    """Diffs by property path, such as `spec.limits.cpu` or `ingress[0].cidrBlocks`."""
    diff_reasons: tuple[str, ...] = ()
    """Top-level properties that differ."""
    replace_reasons: tuple[str, ...] = ()
    """Top-level properties that require a replacement."""


class Message(Written):
    """A message from the engine, a provider or the program."""

    message: str = ""
    severity: str = "info"
    urn: str = ""
