"""Each section of the schema against the very section that `load()` makes of a file."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from stack_config.mistakes import _sections
from stack_config.model import StackConfig
from stack_config.schema import file_schema, plain_schema
from stack_config.settings import _filled
from tests.imports import imported, inside

ROOT = Path(__file__).parents[2]
PROGRAM = [ROOT / "__main__.py"]
PROGRAM += [
    f for top in ("components", "eks_platform", "stack_config") for f in (ROOT / top).rglob("*.py")
]
SCHEMA, PLAIN = file_schema(), plain_schema()


@cache
def sections():
    """Each section's class by its name in the schema."""
    found, ahead = {}, [StackConfig]
    while ahead:
        cls = ahead.pop()
        name = next(
            (
                each
                for each in (
                    cls.__name__,
                    f"{cls.__module__}.{cls.__qualname__}".replace(".", "__"),
                )
                if each in SCHEMA["$defs"]
            ),
            None,
        )
        if name in found:
            continue
        if name:
            found[name] = cls
        ahead += [
            each for field in cls.model_fields.values() for each in _sections(field.annotation)
        ]
    return found


def numbers(node):
    low = node.get("minimum", node.get("exclusiveMinimum", -5))
    high = node.get("maximum", low + 2000)
    return st.integers(int(low), int(high)) | st.sampled_from([int(low) - 1, int(high) + 1])


def texts(node):
    pattern = node.get("pattern")
    made = st.from_regex(re.compile(pattern, re.ASCII)) if pattern else st.text(max_size=4)
    # YAML has none of the others, and Python alone takes some of them for spaces.
    made = made.filter(str.isprintable)
    return st.sampled_from([*node.get("examples", ["m7i.large"]), "", None]) | made


def lists(node, depth):
    least, most = node.get("minItems", 0), node.get("maxItems", 3)
    return st.lists(values(node["items"], depth), min_size=least, max_size=min(most, least + 2))


def mappings(node, depth):
    names = texts(node.get("propertyNames", {})).filter(bool)
    return st.dictionaries(names, values(node["additionalProperties"], depth), max_size=2)


SPELLINGS = {
    "integer": lambda node, _: in_spellings(numbers(node)),
    "number": lambda node, _: in_spellings(numbers(node)),
    "boolean": lambda *_: (
        st.booleans() | st.sampled_from([0, 1, 2, 1.0, "yes", "Off", "T", "", "maybe"])
    ),
    "array": lists,
    "object": mappings,
    "string": lambda node, _: texts(node) | st.sampled_from([7, True]),
    "['string', 'integer']": lambda node, _: texts(node) | st.integers(-1, 99) | st.floats(0, 2),
    "None": lambda *_: st.none() | st.integers() | st.text(max_size=3),
}


def in_spellings(plain):
    return plain | plain.map(str) | plain.map(float) | st.booleans() | st.just(" 3 ")


def values(node, depth):
    """Values that are about right for a place of the plain schema, in every spelling of YAML."""
    if "$ref" in node:
        return section(node["$ref"].rpartition("/")[2], depth - 1)
    if "properties" in node:
        return keys_of(node, depth)
    if "anyOf" in node:
        return st.one_of([values(each, depth) for each in node["anyOf"]])
    if "enum" in node or "const" in node:
        return st.sampled_from([*node.get("enum", [node.get("const")]), True, 1])
    return SPELLINGS[str(node.get("type"))](node, depth)


@cache
def section(name, depth):
    return values(PLAIN["$defs"][name], depth)


def keys_of(node, depth):
    required = {key: values(node["properties"][key], depth) for key in node.get("required", ())}
    others = [key for key in node["properties"] if key not in required] if depth > 0 else []

    def filled(keys):
        chosen = {key: values(node["properties"][key], depth) for key in keys}
        return st.fixed_dictionaries(required | chosen)

    chosen = st.lists(st.sampled_from(others), unique=True, max_size=3) if others else st.just([])
    return chosen.flatmap(filled)


def test_every_section_of_the_schema_is_a_class_of_the_program():
    keys = {name for name, node in PLAIN["$defs"].items() if "enum" not in node}

    assert keys == set(sections())


@pytest.mark.parametrize("name", sorted(sections()))
@settings(
    max_examples=4,
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize=True,
    database=None,
)
@given(data=st.data())
def test_no_section_is_refused_that_the_program_takes(name, data):
    value = data.draw(section(name, 2))

    as_it_arrives = json.loads(json.dumps(value), object_hook=_filled)
    try:
        sections()[name].model_validate_json(
            json.dumps(as_it_arrives), by_alias=True, by_name=False
        )
    except ValidationError:
        return
    place = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    assert list(Draft202012Validator(place).iter_errors(value)) == []


@pytest.mark.parametrize("name", sorted(sections()))
def test_each_section_and_each_key_says_what_it_is_for(name):
    node = PLAIN["$defs"][name]
    node = next((each for each in node.get("anyOf", []) if "properties" in each), node)

    assert node["description"]
    assert [key for key, below in node["properties"].items() if not below["description"]] == []


def test_pulumi_up_reads_no_docstring_and_makes_no_schema():
    """That takes half a second: only the commands pay for it."""
    files = {".".join(f.relative_to(ROOT).with_suffix("").parts): f for f in PROGRAM}
    files |= {name.removesuffix(".__init__"): file for name, file in files.items()}
    reached, ahead = set(), ["__main__"]
    while ahead:
        name = ahead.pop()
        if name in files and name not in reached:
            reached.add(name)
            top = ast.parse(files[name].read_text()).body
            ahead += [inside(each, files) for each in imported(files[name], top)]
            ahead.append(name.rpartition(".")[0])

    assert {"stack_config.model", "components.section"} <= reached
    commands = ("docstrings", "schema", "tolerance", "places", "explain", "check", "__main__")
    assert {f"stack_config.{each}" for each in commands} & reached == set()
