"""All add-ons that are on, each after the add-ons it needs and otherwise in parallel."""

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
    """The stack file's add-ons, and the cluster and network they run in."""

    sections: Mapping[str, AddonConfig]
    """Sections of the add-ons that are on, by their keys in the stack file; an add-on comes after
    those that it needs.
    """
    around: Surroundings
    """The cluster and its network."""


class Addons(pulumi.ComponentResource):
    """Declares each add-on by the function `declare` of its folder's `component`."""

    outputs: Mapping[str, pulumi.Output[Any]]
    """Outputs of the stack that users look for, by name."""
    declared: Mapping[str, pulumi.Resource]
    """Component of each add-on, by its key in the stack file."""

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
            # The loop imports the add-ons that are on, and no other.
            component = import_module(f".{to_snake(key)}.component", __package__)
            around = replace(args.around, before=dict(declared))
            addon: Declared = component.declare(section, around, child)
            declared[key] = addon.component
            outputs |= addon.outputs
        self.outputs, self.declared = outputs, declared
        self.register_outputs(outputs)
