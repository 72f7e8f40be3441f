"""What the schemas say of each field by itself: types, forms, bounds, what is required."""

import copy
from collections import Counter

import pytest

from components.karpenter import cel, crd_structure
from components.karpenter.crd_files import crd
from tests.components.karpenter.every_rule.examples import EXAMPLES
from tests.components.karpenter.every_rule.sections import broken, told
from tests.components.karpenter.every_rule.unreachable import CONSTRAINTS

KEYWORDS = {
    "enum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "required",
    "type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
}
"""Those of the schemas that say something of one field. A format is in test_crd_rules.py."""

ELSEWHERE = {
    # Short forms, defaults and labels are counted together.
    ("NodePool", "spec.template.metadata.labels", "maxProperties"): "requirements",
    ("EC2NodeClass", "spec.amiSelectorTerms", "required"): "amiAlias",  # the usual way to say it
}
WRONG_TEXTS = ["nonsense", "!", "-", "a b", "x" * 300]
OF_A_MANIFEST = {"template", "spec", "metadata"}


def constraints(schema, where=()):
    """Place, keyword and bound of each; `0` stands for an item of a list, `*` for a key."""
    for keyword in sorted(KEYWORDS & schema.keys()):
        if keyword == "required":
            for key in schema["required"]:
                yield (*where, key), keyword, None
        elif schema[keyword] != "atomic":  # of a list: how two writers' changes are merged
            yield where, keyword, schema[keyword]
    for key, below in schema.get("properties", {}).items():
        yield from constraints(below, (*where, key))
    for key, name in (("items", 0), ("additionalProperties", "*")):
        if isinstance(schema.get(key), dict):
            yield from constraints(schema[key], (*where, name))


def named(where):
    return "".join("[]" if part == 0 else f".{part}" for part in where).lstrip(".")


EVERY = {
    (kind, named(where), keyword): (where, bound)
    for kind in ("NodePool", "EC2NodeClass")
    for where, keyword, bound in constraints(crd(kind).schema["properties"]["spec"], ("spec",))
}
REACHABLE = [key for key in EVERY if key not in CONSTRAINTS]


def in_the_file(kind, where):
    """The way in the stack file: what a NodePool nests there is flat."""
    return [part for part in where[1:] if kind == "EC2NodeClass" or part not in OF_A_MANIFEST]


def wrong(keyword, bound, example):
    """A value that breaks this and, where that can be, nothing else."""
    if keyword == "type":
        return {"x": "y"} if bound == "array" else ["x"]
    if keyword == "pattern":
        return next(text for text in WRONG_TEXTS if not cel.matches(text, bound))
    made = {
        "enum": "nonsense",
        "maximum": lambda: bound + 1,
        "minimum": lambda: bound - 1,
        "maxLength": lambda: "x" * (bound + 1),
        "minLength": lambda: "x" * (bound - 1),
        "maxItems": lambda: [example[0]] * (bound + 1),
        "minItems": list,
        "maxProperties": lambda: {f"k{n}": next(iter(example.values())) for n in range(bound + 1)},
        "x-kubernetes-int-or-string": lambda: ["x"],
        "x-kubernetes-list-type": lambda: [example[0]] * 2,
    }[keyword]
    return made() if callable(made) else made


def changed(kind, where, bound, keyword):
    """The example that has such a field with a wrong value, the way to it, and the value."""
    *way, last = in_the_file(kind, where)
    for example in EXAMPLES[kind]:
        section = copy.deepcopy(example)
        node, taken = section, []
        try:
            for part in way:
                taken.append(next(iter(node)) if part == "*" else part)
                node = node[taken[-1]]
            taken.append(next(iter(node)) if last == "*" else last)
            before = node[taken[-1]]
        except (KeyError, IndexError):
            continue
        if keyword == "required":
            del node[taken[-1]]
            return section, taken, None
        node[taken[-1]] = wrong(keyword, bound, before)
        return section, taken, node[taken[-1]]
    raise LookupError(f"no example has {in_the_file(kind, where)}")


@pytest.mark.feature("C-10")
def test_no_constraint_is_left_out():
    structure = {"anyOf", "items", "properties", "additionalProperties"}
    about_nothing = {"default", "description", "x-kubernetes-map-type"}
    elsewhere = {"format", "x-kubernetes-list-map-keys", "x-kubernetes-validations"}
    assert KEYWORDS | structure | about_nothing | elsewhere == crd_structure.KEYWORDS
    assert EVERY.keys() >= CONSTRAINTS.keys()
    assert Counter(kind for kind, *_ in EVERY) == {"NodePool": 97, "EC2NodeClass": 149}


@pytest.mark.parametrize(
    ("kind", "example"), [(kind, each) for kind in EXAMPLES for each in EXAMPLES[kind]]
)
def test_the_examples_themselves_are_sound(kind, example):
    assert told(kind, example) == []


@pytest.mark.feature("C-10")
@pytest.mark.parametrize(("kind", "where", "keyword"), REACHABLE)
def test_a_broken_constraint_is_told_at_its_place_in_the_stack_file(kind, where, keyword):
    section, way, value = changed(kind, *EVERY[kind, where, keyword], keyword)

    found = told(kind, section)

    assert broken(kind, section) != []
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in way)[1:]
    path = ELSEWHERE.get((kind, where, keyword), path)
    # The content of a whole list or section is not shown.
    shown = (None, value) if isinstance(value, dict | list) else (value,)
    assert any(at == path and problem and got in shown for at, problem, got in found), (path, found)
