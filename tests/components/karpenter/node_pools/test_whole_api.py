"""The whole NodePool API of 1.14.1, field by field, as its CRD lists it."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest

from components.karpenter.crd_rules import crd
from components.karpenter.disruption import DisruptionWindowConfig
from components.karpenter.node_pools import NodePoolConfig
from components.section import Section
from tests.components.karpenter.node_pools.node_pool import spec

SPEC = crd("NodePool").schema["properties"]["spec"]
TAINT = {"key": "example.com/team", "value": "blue", "effect": "NoSchedule"}
# Between them every field; what excludes another stands in the second.
ONE = {
    "nodeClass": "gpu",
    "weight": 50,
    "limits": {"cpu": 1000, "memory": "1000Gi", "nodes": 20, "nvidia.com/gpu": 8},
    "labels": {"intent": "apps"},
    "annotations": {"example.com/owner": "Team Blue"},
    "taints": [TAINT],
    "startupTaints": [TAINT | {"effect": "NoExecute"}],
    "capacityTypes": ["spot", "on-demand", "reserved"],
    "architectures": ["arm64"],
    "instanceCategories": ["c", "g"],
    "minGeneration": 5,
    "excludeSizes": ["nano", "metal"],
    "requirements": [
        {
            "key": "karpenter.k8s.aws/instance-family",
            "operator": "In",
            "values": ["c7g", "g5g"],
            "minValues": 2,
        }
    ],
    "expireAfter": "Never",
    "terminationGracePeriod": "2h",
    "disruption": {
        "consolidationPolicy": "Balanced",
        "consolidateAfter": "90s",
        "budgets": [
            {"nodes": "0", "schedule": "@daily", "duration": "1h30m", "reasons": ["Drifted"]},
            {"nodes": "20%"},
        ],
    },
}
OTHER = {"nodeClass": "default", "replicas": 3, "limits": {"nodes": 4}}

# Kubernetes writes it when it taints a node; a template has no such time.
NOT_SETTINGS = {
    "template.spec.taints[].timeAdded",
    "template.spec.startupTaints[].timeAdded",
}


def fields(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Every field of a schema, by its path."""
    for key, inner in schema.get("properties", {}).items():
        here = f"{path}.{key}" if path else key
        yield here
        yield from fields(inner, here)
        yield from fields(inner.get("items", {}), f"{here}[]")


def named(value: Any, path: str = "") -> Iterator[str]:
    """Every field that an object names, by its path."""
    for item in value if isinstance(value, list) else ():
        yield from named(item, f"{path}[]")
    for key, inner in value.items() if isinstance(value, dict) else ():
        here = f"{path}.{key}" if path else key
        yield here
        yield from named(inner, here)


@pytest.mark.feature("C-09")
def test_every_field_of_the_api_can_be_set():
    of_the_api = set(fields(SPEC))

    can_be_set = set(named(spec(**ONE))) | set(named(spec(**OTHER)))

    assert len(of_the_api) > len(NOT_SETTINGS)
    assert of_the_api - can_be_set == NOT_SETTINGS


@pytest.mark.feature("C-09")
def test_every_key_of_a_pool_is_set_in_one_of_both():
    keys = {field.alias for field in NodePoolConfig.model_fields.values()}

    assert keys == ONE.keys() | OTHER.keys()


@pytest.mark.feature("C-09")
def test_every_choice_of_the_api_is_offered():
    disruption = SPEC["properties"]["disruption"]["properties"]
    template = SPEC["properties"]["template"]["properties"]["spec"]["properties"]
    offered = {
        "consolidationPolicy": disruption["consolidationPolicy"]["enum"],
        "reasons": disruption["budgets"]["items"]["properties"]["reasons"]["items"]["enum"],
        "operator": template["requirements"]["items"]["properties"]["operator"]["enum"],
        "effect": template["taints"]["items"]["properties"]["effect"]["enum"],
    }

    for key, values in offered.items():
        assert {frozenset(values)} == {
            frozenset(choices) for alias, choices in choices_of(NodePoolConfig) if alias == key
        }, key


def sections(section: type[Section]) -> Iterator[type[Section]]:
    """The section and all that its fields are made of."""
    yield section
    for field in section.model_fields.values():
        for part in parts(field.annotation):
            if isinstance(part, type) and issubclass(part, Section):
                yield from sections(part)


def parts(annotation: Any) -> Iterator[Any]:
    """An annotation, and all that it is made of."""
    yield annotation
    for part in get_args(annotation):
        yield from parts(part)


def choices_of(section: type[Section]) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    """Each field with a fixed choice, by its key in the file."""
    for one in sections(section):
        for field in one.model_fields.values():
            for part in parts(field.annotation):
                choices = get_args(part)
                if choices and all(isinstance(each, str) for each in choices):
                    yield field.alias, choices


@pytest.mark.feature("C-09")
@pytest.mark.parametrize("root", [NodePoolConfig, DisruptionWindowConfig])
def test_every_field_has_a_type_that_an_editor_knows(root):
    assert [
        f"{section.__name__}.{name}"
        for section in sections(root)
        for name, field in section.model_fields.items()
        if Any in parts(field.annotation)
    ] == []
