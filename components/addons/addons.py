"""The add-ons that are on, each with what it needs, side by side where nothing forbids it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pulumi
from pydantic.alias_generators import to_snake

from .addon import Declared, Surroundings
from .addon_config import AddonConfig


@dataclass(frozen=True, kw_only=True)
class AddonsArgs:
    """The stack file's part, and all that add-ons are told of the cluster and its network."""

    sections: Mapping[str, AddonConfig]
    """The sections of the add-ons that are on, by their keys in the stack file; an add-on comes
    after those that it needs."""
    around: Surroundings
    """The cluster and the network."""


class Addons(pulumi.ComponentResource):
    """One block an add-on: each folder's `component.declare` makes it."""

    outputs: Mapping[str, pulumi.Output[Any]]
    """What users look for, by the name of the stack's output."""
    declared: Mapping[str, pulumi.Resource]
    """The component of each add-on, by its key in the stack file."""

    def __init__(
        self, name: str, args: AddonsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:Addons", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        outputs: dict[str, pulumi.Output[Any]] = {}
        declared: dict[str, pulumi.Resource] = {}
        for key, section in args.sections.items():
            if section.WITH_NODE_GROUPS:
                continue
            # Only the add-ons that are on are imported.
            component = import_module(f".{to_snake(key)}.component", __package__)
            around = replace(args.around, before=dict(declared))
            addon: Declared = component.declare(section, around, child)
            declared[key] = addon.component
            outputs |= addon.outputs
        self.outputs, self.declared = outputs, declared
        self.register_outputs(outputs)
