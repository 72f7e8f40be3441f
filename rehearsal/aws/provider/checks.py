"""Check: fills in names and defaults, and finds what AWS would refuse before anything is made."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rehearsal.aws.provider import shapes, values
from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.resource_types.entry import REQUIRED, Property, ResourceType, Values

DEFAULTS = "__defaults"
"""Internal key of checked inputs: the properties that the provider filled in."""
NAME_DIGITS = 7
"""Number of random hex digits at the end of a generated name."""


class Problem(NamedTuple):
    """A problem with one property."""

    property: str
    reason: str


class NameTooLong(ValueError):
    """Why the name generated from a resource's logical name is too long, for the user."""


@dataclass(frozen=True, kw_only=True)
class Naming:
    """Rule for the name of a resource without a physical name."""

    name: str
    """Name of the resource in the program."""
    seed: bytes
    """Pulumi's random seed: equal in preview and update, different for a replacement."""
    proposed: str = ""
    """Name proposed by the stack's autonaming configuration."""
    disabled: bool = False

    def physical(self, token: str, prop: Property) -> str | None:
        """Name, a dash and seven hex digits, after the property's prefix. Raises NameTooLong.

        The real provider refuses a name that is too long (pulumi-terraform-bridge takes it from
        Pulumi's NewUniqueHex, whose words these are); it does not count the prefix.
        """
        if self.disabled:
            return None
        if self.proposed:
            return self.proposed
        if len(self.name) + 1 + NAME_DIGITS > prop.autoname:
            raise NameTooLong(
                f"could not make instance of '{token}': name '{self.name}-' plus {NAME_DIGITS} "
                f"random chars is longer than maximum length {prop.autoname}"
            )
        digits = hashlib.sha256(self.seed + self.name.encode()).hexdigest()[:NAME_DIGITS]
        return f"{prop.prefix}{self.name}-{digits}"


def fill_in(
    kind: ResourceType, news: Values, olds: Values, naming: Naming, account: Account
) -> Values:
    """The inputs with default tags, names and the real provider's defaults. Raises NameTooLong."""
    inputs = {key: value for key, value in news.items() if value is not None}
    old_defaults = set(olds.get(DEFAULTS, []))
    if kind.tag_map and account.default_tags:
        given = inputs.get("tags")
        if not isinstance(given, str):
            inputs["tags"] = {**account.default_tags, **as_object(given)}
    filled: list[str] = []
    for name, prop in kind.properties.items():
        if name in inputs:
            if prop.defaults_inside:
                inputs[name] = values.filled_inside(inputs[name], prop)
            continue
        value = prop.default
        if prop.autoname:
            # A made name stays for the life of the resource.
            value = olds.get(name) if name in old_defaults else None
            value = value or naming.physical(kind.token, prop)
        if value is not None:
            inputs[name] = value
            filled.append(name)
    return inputs | {DEFAULTS: sorted(filled)}


def problems(kind: ResourceType, inputs: Values, account: Account) -> list[Problem]:
    """Everything that AWS or its Pulumi provider would refuse in these inputs."""
    mistakes = list(_unknown_and_missing(kind, inputs, account))
    model = account.model(kind.service)
    for name, value in inputs.items():
        if name in kind.properties and value is not None:
            shape = values.shape_of(kind, name, model)
            mistakes += [Problem(name, reason) for reason in _refusals(kind, name, value, shape)]
    if not mistakes and not any(map(values.is_unknown, inputs.values())):
        mistakes += [Problem("", reason) for rule in kind.rules if (reason := rule(inputs))]
    return mistakes


def _unknown_and_missing(kind: ResourceType, inputs: Values, account: Account) -> Iterator[Problem]:
    for name, value in inputs.items():
        if name == "region" and kind.regional:
            if value != account.region and not values.is_unknown(value):
                yield Problem(name, f"only {account.region} is played here (got {value})")
        elif name != DEFAULTS and name not in kind.properties:
            known = ", ".join(sorted(kind.properties))
            yield Problem(
                name,
                f"unknown property of {kind.token}: the stand-in knows {known}; if AWS has it, add "
                "it to the type's entry in rehearsal/aws/resource_types/",
            )
    for name, prop in kind.properties.items():
        if REQUIRED in prop and inputs.get(name) is None:
            yield Problem(name, f"MissingParameter: the required argument {name} is missing")


def _refusals(kind: ResourceType, name: str, value: Any, shape: Any) -> Iterator[str]:
    prop = kind.properties[name]
    code = shapes.REFUSAL.get(kind.service, "ValidationException")
    if values.is_unknown(value) and prop.codec:
        return
    if prop.one_of and value not in prop.one_of and not values.is_unknown(value):
        allowed = ", ".join(map(str, prop.one_of))
        yield f"{code}: Value '{value}' at '{name}' is invalid: allowed are {allowed}"
    if prop.longest and isinstance(value, str) and len(value) > prop.longest:
        yield (
            f"expected length of {name} to be in the range (1 - {prop.longest}), got {value} "
            f"({len(value)})"
        )
    if prop.within and isinstance(value, int | float):
        low, high = prop.within
        if not low <= value <= high:
            yield f"{code}: Value '{value}' at '{name}' must be between {low} and {high}"
    if shape is None:
        return
    try:
        converted = values.to_api(value, prop, shape, name)
    except shapes.UnknownMember as error:
        yield f"unknown property {error}: AWS has no such parameter"
        return
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        yield f"{code}: Value '{value}' at '{name}' has the wrong form ({error!r})"
        return
    yield from shapes.refusals(converted, shape, kind.service, name)


def without_internals(inputs: Mapping[str, Any]) -> Values:
    """The properties without internal keys."""
    return {key: value for key, value in inputs.items() if not key.startswith("__")}
