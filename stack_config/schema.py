"""The stack file as a JSON Schema: editors complete and check files by it, pages are made of it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema, to_jsonable_python

from stack_config.docstrings import field_docstrings, paragraph
from stack_config.model import StackConfig
from stack_config.tolerance import as_loaded

PROJECT = "frugal-eks"
FILE = Path(__file__).parents[1] / "stacks" / "stack.schema.json"
HINT = f"# yaml-language-server: $schema={FILE.name}"
"""The line by which an editor finds the schema."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_ABBREVIATIONS = {"aws", "cpu", "csi", "dns", "ebs", "efs", "eks", "imds", "nat", "ssh", "ami"}


class _Generator(GenerateJsonSchema):
    """Pydantic's own, with the docstrings below fields, and closed where `load()` is."""

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        found = super().model_schema(schema)
        cls: type[BaseModel] = schema["cls"]
        found |= {"title": _title(cls), "description": paragraph(cls.__doc__)}
        told = field_docstrings(cls)
        for name, field in cls.model_fields.items():
            key = field.alias or name
            place = found["properties"][key]
            found["properties"][key] = {"description": told.get(name, "")} | place
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 (pydantic's)
        return False  # it would be the key once more

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        # None is what an absent key is; a key without a value `load()` refuses.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        found = super().default_schema(schema)
        return {key: value for key, value in found.items() if key != "default" or value is not None}

    def encode_default(self, dft: Any) -> Any:
        if isinstance(dft, tuple | list):
            return [_item(each) for each in cast(Sequence[Any], dft)]
        if isinstance(dft, BaseModel):
            # Only what its own defaults do not say.
            return dft.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return super().encode_default(dft)

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> Schema:
        return {"anyOf": super().tagged_union_schema(schema)["oneOf"]}

    def dict_schema(self, schema: core_schema.DictSchema) -> Schema:
        keys = self.generate_inner(schema.get("keys_schema", core_schema.str_schema()))
        values = self.generate_inner(schema.get("values_schema", core_schema.any_schema()))
        found: Schema = {"type": "object", "additionalProperties": values}
        rules = {key: value for key, value in keys.items() if key != "type"}
        if keys.get("type") == "integer":
            rules = {"pattern": "^[0-9]+$"}
        if rules:
            found["propertyNames"] = rules
        self.update_with_validations(found, schema, self.ValidationsMapping.object)
        return found


def plain_schema() -> Schema:
    """Everything that a stack file may say, as people write it; `$defs` are the sections."""
    return StackConfig.model_json_schema(by_alias=True, schema_generator=_Generator)


def file_schema() -> Schema:
    """The JSON schema of a whole file, as it lies in `stacks/`: it refuses nothing that `load()`
    takes.

    Keys of other providers and those of Pulumi itself are free.
    """
    loaded = as_loaded(plain_schema())
    sections = {key: _of_section(node) for key, node in loaded["properties"].items()}
    known = "|".join(key for key in sections if ":" not in key)
    return _with_markdown(
        {
            "$schema": DIALECT,
            "title": f"A stack of {PROJECT}",
            "description": loaded["description"],
            "type": "object",
            "required": ["config"],
            "properties": {
                "config": {
                    "description": "One key a section; absent means off.",
                    "type": "object",
                    "properties": {_in_file(key): node for key, node in sections.items()},
                    "allOf": [
                        {
                            "anyOf": [
                                {"required": [key]} for key in dict.fromkeys([_in_file(name), name])
                            ]
                        }
                        for name in loaded["required"]
                    ],
                    # Pulumi puts the project before a key that has no namespace.
                    "patternProperties": {
                        f"^({PROJECT}:)?(?!({known})$)[^:]*$": False,
                        **{f"^{key}$": node for key, node in sections.items() if ":" not in key},
                    },
                }
            },
            "$defs": loaded["$defs"],
        }
    )


def _with_markdown(node: Any) -> Any:
    """Where a description has code in it, editors show the marks unless it is said twice."""
    if isinstance(node, list):
        return [_with_markdown(each) for each in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    found: Schema = {key: _with_markdown(value) for key, value in cast(Schema, node).items()}
    told = found.get("description")
    code = {"markdownDescription": told} if isinstance(told, str) and "`" in told else {}
    return found | code


def _item(value: Any) -> Any:
    """An item of a default list with all that it says."""
    if not isinstance(value, BaseModel):
        return to_jsonable_python(value)
    given = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {key: each for key, each in given.items() if each not in ({}, [])}


def _in_file(key: str) -> str:
    return key if ":" in key else f"{PROJECT}:{key}"


def file_text() -> str:
    """What `stacks/stack.schema.json` holds."""
    return json.dumps(file_schema(), indent=1, ensure_ascii=False) + "\n"


def _of_section(node: Schema) -> Schema:
    """`pulumi config set KEY '{…}'` writes a section as one text of JSON."""
    if node.get("type") == "string":
        return node
    told = {key: node[key] for key in ("description", "default") if key in node}
    rest = {key: value for key, value in node.items() if key not in told}
    return told | {"anyOf": [rest, {"type": "string", "pattern": r"^[\[{]"}]}


def _title(cls: type) -> str:
    words = re.findall(r"[A-Z][a-z0-9]*", cls.__name__.removesuffix("Config"))
    told = [word.upper() if word.lower() in _ABBREVIATIONS else word.lower() for word in words]
    return " ".join(told)[:1].upper() + " ".join(told)[1:]
