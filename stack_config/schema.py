"""The stack file's JSON Schema, for completion and checks in editors, and for the pages in
docs/.
"""

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
"""First line of a stack file, by which an editor finds the schema."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_ABBREVIATIONS = {"aws", "cpu", "csi", "dns", "ebs", "efs", "eks", "imds", "nat", "ssh", "ami"}


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with the docstrings of fields, and closed to unknown keys as `load()`
    is.
    """

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        generated = super().model_schema(schema)
        cls: type[BaseModel] = schema["cls"]
        generated |= {"title": _title(cls), "description": paragraph(cls.__doc__)}
        docstrings = field_docstrings(cls)
        for name, field in cls.model_fields.items():
            key = field.alias or name
            place = generated["properties"][key]
            generated["properties"][key] = {"description": docstrings.get(name, "")} | place
        return generated

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 (pydantic's)
        return False  # it would be the key once more

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        # None is what an absent key is; a key without a value `load()` refuses.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        generated = super().default_schema(schema)
        return {
            key: value for key, value in generated.items() if key != "default" or value is not None
        }

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
        generated: Schema = {"type": "object", "additionalProperties": values}
        rules = {key: value for key, value in keys.items() if key != "type"}
        if keys.get("type") == "integer":
            rules = {"pattern": "^[0-9]+$"}
        if rules:
            generated["propertyNames"] = rules
        self.update_with_validations(generated, schema, self.ValidationsMapping.object)
        return generated


def plain_schema() -> Schema:
    """The schema of a stack file as people write it; its sections are in `$defs`."""
    return StackConfig.model_json_schema(by_alias=True, schema_generator=_Generator)


def file_schema() -> Schema:
    """The JSON Schema of a whole file in `stacks/`; it accepts everything that `load()` accepts.

    Keys of other providers and of Pulumi itself are not checked.
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
    """The schema with each description that contains code repeated as Markdown: editors show its
    marks otherwise.
    """
    if isinstance(node, list):
        return [_with_markdown(each) for each in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    copied: Schema = {key: _with_markdown(value) for key, value in cast(Schema, node).items()}
    description = copied.get("description")
    code = (
        {"markdownDescription": description}
        if isinstance(description, str) and "`" in description
        else {}
    )
    return copied | code


def _item(value: Any) -> Any:
    """An item of a default list, with all its own defaults."""
    if not isinstance(value, BaseModel):
        return to_jsonable_python(value)
    fields = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {key: each for key, each in fields.items() if each not in ({}, [])}


def _in_file(key: str) -> str:
    return key if ":" in key else f"{PROJECT}:{key}"


def file_text() -> str:
    """Content of `stacks/stack.schema.json`."""
    return json.dumps(file_schema(), indent=1, ensure_ascii=False) + "\n"


def _of_section(node: Schema) -> Schema:
    """The schema of a section, which may also be one JSON text, as `pulumi config set KEY '{…}'`
    writes it.
    """
    if node.get("type") == "string":
        return node
    annotations = {key: node[key] for key in ("description", "default") if key in node}
    rest = {key: value for key, value in node.items() if key not in annotations}
    return annotations | {"anyOf": [rest, {"type": "string", "pattern": r"^[\[{]"}]}


def _title(cls: type) -> str:
    words = re.findall(r"[A-Z][a-z0-9]*", cls.__name__.removesuffix("Config"))
    spelled = [word.upper() if word.lower() in _ABBREVIATIONS else word.lower() for word in words]
    return " ".join(spelled)[:1].upper() + " ".join(spelled)[1:]
