"""The steps of a preview as the engine writes them.

Source: previewStep and stateForJSONOutput in pkg/backend/display of pulumi 3.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Stands for a value that is known only after `up`."""
SECRET = "[secret]"
"""Stands for a secret."""
STACK = "pulumi:pulumi:Stack"
PROVIDERS = "pulumi:providers:"


class Written(BaseModel):
    """A part of the file. Keys that are not read here are let be: the engine adds some."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Resource(Written):
    """A resource on one side of a step."""

    urn: str
    type: str
    """For example `aws:ec2/vpc:Vpc`."""
    custom: bool = True
    """False for a component."""
    id: str = ""
    """Empty while it does not exist."""
    parent: str = ""
    """A URN; empty for the stack itself."""
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    """URNs."""
    inputs: Mapping[str, Any] = {}
    """What the program says. May hold UNKNOWN and SECRET at any depth."""
    outputs: Mapping[str, Any] = {}
    """What the provider said at the last `up`; empty if there was none."""
    protect: bool = False
    retain_on_delete: bool = False

    @property
    def name(self) -> str:
        """The last part of its URN."""
        return self.urn.rpartition("::")[2]

    @property
    def is_thing(self) -> bool:
        """Whether it is neither a component, nor a provider, nor the stack."""
        return self.custom and self.type != STACK and not self.type.startswith(PROVIDERS)


class PropertyDiff(Written):
    """How one property differs."""

    kind: str
    """add, delete or update; with -replace where that replaces the resource."""
    input_diff: bool = False
    """Whether inputs were compared with inputs, not with what the provider had read."""


class Step(Written):
    """One step of the engine; a replacement takes three of them."""

    op: str
    urn: str
    old: Resource | None = Field(default=None, alias="oldState")
    new: Resource | None = Field(default=None, alias="newState")
    detailed_diff: Mapping[str, PropertyDiff] | None = None
    """By the property's path, such as `spec.limits.cpu` or `ingress[0].cidrBlocks`."""
    diff_reasons: tuple[str, ...] = ()
    """Top-level properties that differ."""
    replace_reasons: tuple[str, ...] = ()
    """Top-level properties that make a replacement necessary."""


class Message(Written):
    """What the engine, a provider or the program says."""

    message: str = ""
    severity: str = "info"
    urn: str = ""
