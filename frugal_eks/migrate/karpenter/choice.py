"""Writes requirements of a manifest as short forms if these are equivalent."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from components.ec2.labels import ARCHITECTURE, CAPACITY_TYPE, CATEGORY, GENERATION, SIZE
from components.karpenter import requirements
from components.karpenter.requirements import (
    NodeChoiceConfig,
)
from frugal_eks.migrate.karpenter.part import Part

Requirement = Mapping[str, Any]

# Key and operator of what each short form stands for.
_SHORT = {
    "capacityTypes": (CAPACITY_TYPE, "In"),
    "architectures": (ARCHITECTURE, "In"),
    "instanceCategories": (CATEGORY, "In"),
    "minGeneration": (GENERATION, "Gte"),
    "excludeSizes": (SIZE, "NotIn"),
}
_INSTANCE_FORMS = ("instanceCategories", "minGeneration")


def put_choice(
    part: Part, wanted: Sequence[Requirement], labels: Mapping[str, str]
) -> Sequence[Requirement]:
    """Puts short forms, and the other requirements as `requirements`; returns these others.
    A key with two requirements, or with a label, has no short form.
    """
    keys = [requirement["key"] for requirement in wanted]
    # Beside one of these two alone the package would add its default of the other.
    without = () if {CATEGORY, GENERATION} <= {*keys, *labels} else _INSTANCE_FORMS
    short: dict[str, Any] = {}
    others: list[Requirement] = []
    for requirement in wanted:
        alone = keys.count(requirement["key"]) == 1 and requirement["key"] not in labels
        name = _short_form(requirement) if alone else None
        if name is None or name in without:
            others.append(requirement)
        else:
            short[name] = _value(name, requirement["values"])
    for name in _SHORT:
        if name in short:
            part.put(name, short[name])
    if others:
        part.put("requirements", [dict(requirement) for requirement in others])
    return others


def short_forms(requirements: Sequence[Requirement]) -> list[str]:
    """Names of the short forms that replace some of the requirements."""
    return [name for name in map(_short_form, requirements) if name]


def _short_form(requirement: Requirement) -> str | None:
    values: Sequence[str] = requirement.get("values") or []
    if not values or "minValues" in requirement:
        return None
    key_and_operator = requirement["key"], requirement["operator"]
    name = next(
        (name for name, stands_for in _SHORT.items() if stands_for == key_and_operator), None
    )
    return name if name and _takes(name, values) else None


def _takes(name: str, values: Sequence[str]) -> bool:
    """True if the short form is equivalent: it accepts some values only."""
    try:
        config = NodeChoiceConfig.model_validate({name: _value(name, values)})
    except (ValidationError, ValueError):
        return False
    (requirement,) = requirements.short_forms(config).values()
    return list(requirement.values) == list(values)


def _value(name: str, values: Sequence[str]) -> Any:
    return int(values[0]) if name == "minGeneration" else list(values)
