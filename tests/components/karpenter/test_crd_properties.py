"""Whatever a user writes: the stack file's own checks and the API server's rules agree."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from components.karpenter import crd_structure
from components.karpenter.crd_files import crd
from tests.components.karpenter.every_rule.examples import EXAMPLES
from tests.components.karpenter.every_rule.sections import broken, spec, told


def one_or_two(fields):
    """Some of them: where more are random, something is always wrong."""
    names = st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=2, unique=True)
    return names.flatmap(lambda chosen: st.fixed_dictionaries({k: fields[k] for k in chosen}))


KEYS = st.sampled_from(
    [
        "a b",
        "example.com/team",
        "intent",
        "karpenter.k8s.aws/instance-cpu",
        "karpenter.k8s.aws/instance-family",
        "karpenter.k8s.aws/instance-size",
        "karpenter.k8s.aws/team",
        "karpenter.sh/capacity-type",
        "karpenter.sh/nodepool",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "mykarpenter.sh/x",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone",
    ]
)
TEXTS = st.sampled_from(
    ["", " 5", "-1", "0", "1_000", "4", "a", "a b", "eu-west-1a", "m5.large", "spot", "x" * 64]
)
DURATIONS = st.sampled_from(
    ["", "0s", "10", "1d", "1h", "1h30m", "30s", "8h", "90s", "Never", "h", "1.5h", "720h0m0s"]
)
NODES = st.sampled_from(["0", "1", "10%", "100%", "101%", "-1", "1.5", "", "007", "%"])
SCHEDULES = st.sampled_from(["@daily", "@never", "0 9 * * mon-fri", "0 9 * *", "* * * * * *", ""])
OPERATORS = st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"])
REQUIREMENTS = st.fixed_dictionaries(
    {"key": KEYS, "operator": OPERATORS},
    optional={
        "values": st.lists(TEXTS, max_size=3),
        "minValues": st.integers(min_value=-1, max_value=51),
    },
)
TAINTS = st.fixed_dictionaries(
    {"key": KEYS, "effect": st.sampled_from(["NoSchedule", "NoExecute", "Never"])},
    optional={"value": TEXTS},
)
BUDGETS = st.fixed_dictionaries(
    {},
    optional={
        "nodes": NODES,
        "schedule": SCHEDULES,
        "duration": DURATIONS,
        "reasons": st.lists(st.sampled_from(["Empty", "Drifted", "Bored"]), max_size=3),
    },
)
POOL_FIELDS = {
    "annotations": st.dictionaries(KEYS, TEXTS, max_size=2),
    "disruption": st.fixed_dictionaries(
        {},
        optional={
            "budgets": st.lists(BUDGETS, max_size=3),
            "consolidateAfter": DURATIONS,
            "consolidationPolicy": st.sampled_from(["WhenEmpty", "Balanced", "Always"]),
        },
    ),
    "expireAfter": DURATIONS,
    "labels": st.dictionaries(KEYS, TEXTS, max_size=3),
    "limits": st.dictionaries(
        st.sampled_from(["cpu", "memory", "nodes", "nvidia.com/gpu"]),
        st.sampled_from(["1000", "1.5", "1k", "10 Gi", "1000Gi", "", "-1", "1e3"]),
        max_size=2,
    ),
    "replicas": st.integers(min_value=-1, max_value=3),
    "requirements": st.lists(REQUIREMENTS, max_size=4),
    "startupTaints": st.lists(TAINTS, max_size=2),
    "taints": st.lists(TAINTS, max_size=2),
    "terminationGracePeriod": DURATIONS,
    "weight": st.integers(min_value=-1, max_value=101),
}


@pytest.mark.feature("C-10")
@settings(max_examples=120)
@given(one_or_two(POOL_FIELDS))
def test_no_pool_that_the_api_server_refuses_is_taken(pool):
    pool = {"nodeClass": "default"} | pool

    refused = broken("NodePool", pool)

    said = told("NodePool", pool)

    assert said or not refused
    assert all(path and problem for path, problem, _ in said)


IDS = st.sampled_from(["subnet-1", "sg-1", "ami-1", "cr-1", "pg-1", "x", ""])
TAGS = st.dictionaries(st.sampled_from(["team", "", "karpenter.sh/nodepool"]), TEXTS, max_size=2)
TERMS = st.lists(
    st.fixed_dictionaries({}, optional={"id": IDS, "name": TEXTS, "tags": TAGS}), max_size=2
)
THRESHOLDS = st.dictionaries(
    st.sampled_from(["memory.available", "nodefs.available", "memory.free"]),
    st.sampled_from(["5%", "200Mi", "101%", "-1", "1m", "90s", ""]),
    max_size=2,
)
ALIASES = ["al2023@v20260930", "bottlerocket@v1.66.0", "al2023@latest", "al2023", "x@y", ""]
FAMILIES = ["AL2", "AL2023", "Bottlerocket", "Custom", "Ubuntu"]
SIZES = ["20Gi", "20", "64T", "65T", "0Gi", "Ti", "59001Gi", ""]
PERCENT = st.integers(min_value=-1, max_value=101)
CLASS_FIELDS = {
    "amiAlias": st.sampled_from(ALIASES),
    "amiFamily": st.sampled_from(FAMILIES),
    "amiSelectorTerms": TERMS,
    "blockDeviceMappings": st.lists(
        st.fixed_dictionaries(
            {
                "deviceName": st.sampled_from(["/dev/xvda", "/dev/xvdb"]),
                "ebs": st.fixed_dictionaries(
                    {},
                    optional={
                        "volumeSize": st.sampled_from(SIZES),
                        "volumeType": st.sampled_from(["gp3", "gp2", "gp9"]),
                        "volumeInitializationRate": st.integers(99, 301),
                    },
                ),
            },
            optional={"rootVolume": st.booleans()},
        ),
        max_size=2,
    ),
    "instanceProfile": TEXTS,
    "ipPrefixCount": st.integers(min_value=-1, max_value=2**31),
    "kubelet": st.fixed_dictionaries(
        {},
        optional={
            "evictionHard": THRESHOLDS,
            "evictionSoft": THRESHOLDS,
            "evictionSoftGracePeriod": THRESHOLDS,
            "imageGCHighThresholdPercent": PERCENT,
            "imageGCLowThresholdPercent": PERCENT,
            "kubeReserved": st.dictionaries(
                st.sampled_from(["cpu", "gpu"]), st.sampled_from(["1", "-1", "100m", "1.5"])
            ),
            "maxPods": st.integers(min_value=-1, max_value=2**31),
        },
    ),
    "metadataOptions": st.fixed_dictionaries(
        {}, optional={"httpPutResponseHopLimit": st.integers(min_value=0, max_value=65)}
    ),
    "placementGroupSelector": st.fixed_dictionaries({}, optional={"id": IDS, "name": TEXTS}),
    "role": TEXTS,
    "securityGroupSelectorTerms": TERMS,
    "subnetSelectorTerms": TERMS,
    "tags": TAGS,
    "volume": st.fixed_dictionaries({"size": st.sampled_from(SIZES)}),
}


@pytest.mark.feature("C-10")
@settings(max_examples=120)
@given(one_or_two(CLASS_FIELDS))
def test_no_class_that_the_api_server_refuses_is_taken(node_class):
    if "amiSelectorTerms" not in node_class:
        node_class = {"amiAlias": "al2023@v20260930"} | node_class

    refused = broken("EC2NodeClass", node_class)

    said = told("EC2NodeClass", node_class)

    assert said or not refused
    assert all(problem for _, problem, _ in said)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-1, max_value=500)
    | st.floats(min_value=-1, max_value=2, allow_nan=False)
    | st.sampled_from(["", "In", "10%", "20Gi", "gp3", "x" * 64, "1h"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["key", "id"]), inner)
    ),
    max_leaves=4,
)


def places(value, where=()):
    """The ways to all that is in it."""
    yield where
    pairs = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        pairs = enumerate(value)
    for key, below in pairs:
        yield from places(below, (*where, key))


OBJECTS = [
    (kind, spec(kind, section)) for kind, sections in EXAMPLES.items() for section in sections
]
PLACES = [(kind, sound, where) for kind, sound in OBJECTS for where in places(sound)]


def closed(schema):
    """The schema as jsonschema has to read it: fields that are not listed are unknown."""
    if not isinstance(schema, dict):
        return [closed(each) for each in schema] if isinstance(schema, list) else schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return made | {"uniqueItems": made.get("x-kubernetes-list-type") == "set"}


SPECS = {kind: crd(kind).schema["properties"]["spec"] for kind in EXAMPLES}
SECOND = {kind: Draft202012Validator(closed(schema)) for kind, schema in SPECS.items()}


@pytest.mark.feature("C-10")
@settings(max_examples=150)
@given(st.sampled_from(PLACES), VALUES)
def test_a_general_validator_comes_to_the_same_verdict_on_the_structure(place, value):
    kind, sound, where = place
    holder = {"spec": copy.deepcopy(sound)}
    node, way = holder, ("spec", *where)
    for part in way[:-1]:
        node = node[part]
    node[way[-1]] = value
    filled = crd_structure.with_defaults(SPECS[kind], holder["spec"])

    ours = crd_structure.refusals(SPECS[kind], filled)
    theirs = [*SECOND[kind].iter_errors(filled)]

    assert bool(ours) == bool(theirs), (ours, theirs)
