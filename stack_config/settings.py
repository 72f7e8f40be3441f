"""Turns the settings of a stack file into the model, or reports all mistakes at once."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError, create_model

from components.section import Mistake
from stack_config import mistakes
from stack_config.model import StackConfig
from stack_config.rules import RULES

SECRET = "[secret]"
"""Placeholder for an encrypted value in messages."""


def parsed(settings: Mapping[str, Any]) -> StackConfig | Sequence[Mistake]:
    """The model of the settings, or all their mistakes. Nothing is looked up."""
    try:
        config = _validated(StackConfig, settings)
    except ValidationError as error:
        details = mistakes.real(error.errors())
        unusable = {str(detail["loc"][0]) for detail in details}
        reported, others = mistakes.contradictions(details, StackConfig)
        reported += [m for detail in others for m in mistakes.mistakes(detail, StackConfig)]
        return [*reported, *_rules_that_still_count(settings, unusable)]
    return [*_broken(config, set())] or config


def _rules_that_still_count(settings: Mapping[str, Any], unusable: set[str]) -> Iterator[Mistake]:
    """Broken rules between sections that are all valid by themselves."""
    fields = {info.alias or name: name for name, info in StackConfig.model_fields.items()}
    missing = {fields[alias] for alias in unusable if alias in fields}
    open_fields: dict[str, Any] = {name: (Any, None) for name in missing}
    partial = create_model("PartialStackConfig", __base__=StackConfig, **open_fields)
    rest = {key: value for key, value in settings.items() if key not in unusable}
    return _broken(_validated(partial, rest), missing)


def _validated(model: type[StackConfig], settings: Mapping[str, Any]) -> StackConfig:
    # By alias only: in the file a key has one spelling.
    return model.model_validate_json(json.dumps(settings), by_alias=True, by_name=False)


def _broken(config: StackConfig, missing: set[str]) -> Iterator[Mistake]:
    for rule, sections in RULES.items():
        if not missing.intersection(sections):
            yield from rule(config)


def decoded(text: str) -> Any:
    """A setting's value: Pulumi passes objects and lists as JSON, everything else as text."""
    try:
        return json.loads(text, object_hook=_filled) if text.startswith(("{", "[")) else text
    except json.JSONDecodeError:
        return text


def _filled(section: dict[str, Any]) -> dict[str, Any]:
    """The section with empty texts for null: `key:` without a value must not count as absent.
    Pulumi does the same at the top level.
    """
    return {key: "" if value is None else value for key, value in section.items()}
