"""What Karpenter's CRDs accept, refuse, and accept though they should not."""

import copy
import json
import ssl
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
import yaml

from components.karpenter import cel, crd_cel, crd_structure
from components.karpenter.crd_files import CRDS, FILES, crd, schema_file, schema_text
from components.karpenter.crd_rules import Violation, violations
from rehearsal import control_plane, toolchain
from rehearsal.processes import Processes
from rehearsal.state import State
from rehearsal.toolchain.families import CONTROL_PLANE

POOL: dict[str, Any] = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "default"},
    "spec": {
        "template": {
            "metadata": {"labels": {"intent": "apps"}},
            "spec": {
                "nodeClassRef": {
                    "group": "karpenter.k8s.aws",
                    "kind": "EC2NodeClass",
                    "name": "default",
                },
                "requirements": [
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
                    {
                        "key": "karpenter.k8s.aws/instance-size",
                        "operator": "NotIn",
                        "values": ["nano", "micro"],
                    },
                ],
                "expireAfter": "720h",
                "terminationGracePeriod": "1h",
            },
        },
        "limits": {"cpu": "1000", "memory": "1000Gi"},
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "1m",
            "budgets": [{"nodes": "10%"}],
        },
    },
}
NODE_CLASS: dict[str, Any] = {
    "apiVersion": "karpenter.k8s.aws/v1",
    "kind": "EC2NodeClass",
    "metadata": {"name": "default"},
    "spec": {
        "amiSelectorTerms": [{"alias": "al2023@v20260930"}],
        "subnetSelectorTerms": [{"id": "subnet-0123456789abcdef0"}],
        "securityGroupSelectorTerms": [{"id": "sg-0123456789abcdef0"}],
        "role": "KarpenterNodeRole-nodeless",
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi"}}],
        "tags": {"Name": "node", "karpenter.sh/discovery": "nodeless"},
    },
}
BUFFER: dict[str, Any] = {
    "apiVersion": "autoscaling.x-k8s.io/v1beta1",
    "kind": "CapacityBuffer",
    "metadata": {"name": "room", "namespace": "default"},
    "spec": {"podTemplateRef": {"name": "pause"}, "replicas": 2},
}
REMOVED = object()


def changed(manifest: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at `spec.template.spec.requirements`, or without it."""
    copied = copy.deepcopy(manifest)
    *parents, last = path.split(".")
    node = copied
    for parent in parents:
        node = node.setdefault(parent, {})
    if value is REMOVED:
        del node[last]
    else:
        node[last] = value
    return copied


def requirement(key: str, operator: str, *values: str, **more: Any) -> list[dict[str, Any]]:
    """A list of one requirement."""
    return [{"key": key, "operator": operator, "values": list(values), **more}]


def volumes(size: Any) -> list[dict[str, Any]]:
    """One volume of this size."""
    return [{"ebs": {"volumeSize": size}}]


REQUIREMENTS = "spec.template.spec.requirements"
DISRUPTION = "spec.disruption"
VOLUMES = "spec.blockDeviceMappings"
GENERATION = "karpenter.k8s.aws/instance-generation"
NO_NUMBERS = ["many", "1.5", "1_000", " 5"]
SIZES = ["20", "20GiB", 20]
SOFT_WITHOUT_GRACE = {"evictionSoft": {"memory.available": "5%"}}


def test_the_five_crds_are_there_with_as_many_rules_as_upstream_has():
    counts = {kind: len(list(crd_cel.rules(crd(kind).schema))) for kind in FILES}

    assert counts == {
        "NodePool": 20,
        "NodeClaim": 10,
        "EC2NodeClass": 54,
        "NodeOverlay": 8,
        "CapacityBuffer": 2,
    }


def test_the_schemas_that_are_read_are_those_of_upstreams_files():
    """After a change of these: python -m components.karpenter.crd_files"""
    for kind in FILES:
        assert schema_file(kind).read_text() == schema_text(kind)
        assert '"description":' not in schema_text(kind)


def test_every_rule_compiles():
    every = Counter(rule for kind in FILES for rule in crd_cel.rules(crd(kind).schema))

    assert (every.total(), len(every)) == (94, 69)
    for rule in every:
        cel.program(rule)


@pytest.mark.parametrize("manifest", [POOL, NODE_CLASS, BUFFER], ids=lambda it: it["kind"])
def test_a_sound_object_is_accepted(manifest):
    assert violations(manifest["kind"], manifest) == []


POOL_STRUCTURE: list[Any] = [
    ("spec.weight", 0, "spec.weight", "should be greater than or equal to 1 (got 0)"),
    ("spec.weight", 101, "spec.weight", "should be less than or equal to 100 (got 101)"),
    ("spec.kubelet", {}, "spec.kubelet", "unknown field, remove it or correct its spelling"),
    (
        "spec.template.spec.kubelet",
        {},
        "spec.template.spec.kubelet",
        "unknown field, remove it",
    ),
    ("spec.template", REMOVED, "spec.template", "required value"),
    (
        "spec.template.spec.nodeClassRef.apiVersion",
        "v1",
        "spec.template.spec.nodeClassRef.apiVersion",
        "unknown field",
    ),
    (DISRUPTION, {}, "spec.disruption.consolidateAfter", "required value"),
    (
        DISRUPTION,
        {"budgets": [{"nodes": "10%"}]},
        "spec.disruption.consolidateAfter",
        "required value",
    ),
    (f"{DISRUPTION}.consolidateAfter", "30d", f"{DISRUPTION}.consolidateAfter", "should match"),
    (
        f"{DISRUPTION}.consolidationPolicy",
        "WhenUnderutilized",
        f"{DISRUPTION}.consolidationPolicy",
        'supported values: "WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"',
    ),
    (
        f"{DISRUPTION}.budgets",
        [{"nodes": 1}],
        f"{DISRUPTION}.budgets[0].nodes",
        "must be of type string (got 1)",
    ),
    (
        f"{DISRUPTION}.budgets",
        [{"nodes": "101%"}],
        f"{DISRUPTION}.budgets[0].nodes",
        "should match",
    ),
    (
        f"{DISRUPTION}.budgets",
        [{"nodes": "1", "schedule": "@daily", "duration": "30s"}],
        f"{DISRUPTION}.budgets[0].duration",
        "should match",
    ),
    (
        f"{DISRUPTION}.budgets",
        [{"nodes": "1", "reasons": ["Empty", "Empty"]}],
        f"{DISRUPTION}.budgets[0].reasons",
        "must not name anything twice",
    ),
    (
        f"{DISRUPTION}.budgets",
        [{"nodes": "1"}] * 51,
        f"{DISRUPTION}.budgets",
        "must have at most 50 items",
    ),
    ("spec.template.spec.expireAfter", "30d", "spec.template.spec.expireAfter", "should match"),
    (
        "spec.template.spec.terminationGracePeriod",
        "Never",
        "spec.template.spec.terminationGracePeriod",
        "should match",
    ),
    (
        "spec.template.spec.taints",
        [{"key": "a", "effect": "Never"}],
        "spec.template.spec.taints[0].effect",
        'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute" (got "Never")',
    ),
    ("spec.limits", {"cpu": "many"}, "spec.limits[cpu]", "should match"),
    (
        "spec.template.metadata.labels",
        {"intent": "a" * 64},
        "spec.template.metadata.labels[intent]",
        "may not be more than 63 bytes",
    ),
    # Python's `$` would take the line's end, and its `\d` the digits of other scripts.
    ("spec.limits", {"cpu": "1\n"}, "spec.limits[cpu]", "should match"),
    (f"{DISRUPTION}.consolidateAfter", "٣m", f"{DISRUPTION}.consolidateAfter", "should match"),
    ("spec.replicas", True, "spec.replicas", "must be of type integer (got true)"),
    ("spec.limits", {"cpu": 1.5}, "spec.limits[cpu]", "must be an integer or a text"),
]


METADATA: list[Any] = [
    ("metadata", {}, "metadata.name", "required value"),
    *[
        ("metadata.name", name, "metadata.name", "must consist of lower case letters")
        for name in ("Apps", "a..b", "a.-b", "a_b", "a/b", "-a", "a" * 254, "a\n")
    ],
    (
        "metadata.labels",
        {"a b": "c"},
        "metadata.labels[a b]",
        "has a key whose name must be at most 63",
    ),
    ("metadata.labels", {"team": "a b"}, "metadata.labels[team]", "must be at most 63 letters"),
    ("metadata.labels", {"team": "a" * 64}, "metadata.labels[team]", "must be at most 63"),
    (
        "metadata.labels",
        {"-x/team": "a"},
        "metadata.labels[-x/team]",
        "has a key whose part before the slash is no lower case domain",
    ),
    (
        "metadata.annotations",
        {"a/b/c": "x"},
        "metadata.annotations[a/b/c]",
        "has a key whose part before the slash is no lower case domain",
    ),
    (
        "metadata.annotations",
        {"x" * 64: "x"},
        f"metadata.annotations[{'x' * 64}]",
        "has a key whose name must be at most 63",
    ),
    (
        "metadata.annotations",
        {"a": "x" * 2**18},
        "metadata.annotations",
        "may not be more than 262144 bytes together",
    ),
]
METADATA_ACCEPTED: list[Any] = [
    ("metadata.name", "a.b-c.1"),
    ("metadata.name", "a" * 253),
    ("metadata.labels", {"example.com/Team_1": "", "team": "A.b_c-d"}),
    ("metadata.annotations", {"a": "x" * (2**18 - 1), "Example.com/b": ""}),
]


def test_what_metadata_may_hold():
    for path, value in METADATA_ACCEPTED[:3]:
        assert violations("NodePool", changed(POOL, path, value)) == []


@pytest.mark.parametrize(("path", "value", "where", "message"), [*METADATA, *POOL_STRUCTURE])
def test_the_metadata_and_structure_of_a_node_pool_are_checked(path, value, where, message):
    said = violations("NodePool", changed(POOL, path, value))

    assert [violation.path for violation in said] == [where]
    assert message in said[0].message


POOL_RULES: list[Any] = [
    (
        "spec",
        POOL["spec"] | {"replicas": 2},
        "spec",
        "only 'limits.nodes' is supported on static NodePools",
    ),
    (
        "spec",
        POOL["spec"] | {"replicas": 2, "limits": {"nodes": "3"}, "weight": 1},
        "spec",
        "'weight' is not supported on static NodePools",
    ),
    (
        f"{DISRUPTION}.budgets",
        [{"nodes": "1", "schedule": "@daily"}],
        f"{DISRUPTION}.budgets",
        "'schedule' must be set with 'duration'",
    ),
    (
        REQUIREMENTS,
        requirement("karpenter.sh/capacity", "Exists"),
        f"{REQUIREMENTS}[0].key",
        'label domain "karpenter.sh" is restricted',
    ),
    (
        REQUIREMENTS,
        requirement("mykarpenter.sh/x", "In", "1"),
        f"{REQUIREMENTS}[0].key",
        'label domain "karpenter.sh" is restricted',
    ),
    (
        REQUIREMENTS,
        requirement("karpenter.sh/nodepool", "In", "default"),
        f"{REQUIREMENTS}[0].key",
        'label "karpenter.sh/nodepool" is restricted',
    ),
    (
        "spec.template.metadata.labels",
        {"kubernetes.io/hostname": "a"},
        "spec.template.metadata.labels",
        'label "kubernetes.io/hostname" is restricted',
    ),
    (
        REQUIREMENTS,
        requirement("karpenter.k8s.aws/instance-pods", "Gt", "8"),
        f"{REQUIREMENTS}[0].key",
        'label domain "karpenter.k8s.aws" is restricted',
    ),
    (
        REQUIREMENTS,
        requirement("karpenter.sh/capacity-type", "In"),
        REQUIREMENTS,
        "requirements with operator 'In' must have a value defined",
    ),
    *[
        (
            REQUIREMENTS,
            requirement("karpenter.k8s.aws/instance-generation", operator, *values),
            REQUIREMENTS,
            "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive"
            " integer value",
        )
        for operator in ("Gt", "Lt", "Gte", "Lte")
        for values in ([], ["1", "2"], ["-1"])
    ],
    (
        REQUIREMENTS,
        requirement("node.kubernetes.io/instance-type", "In", "m5.large", minValues=2),
        REQUIREMENTS,
        "requirements with 'minValues' must have at least that many values specified in the"
        " 'values' field",
    ),
    (
        "spec.template.spec.nodeClassRef.group",
        "",
        "spec.template.spec.nodeClassRef.group",
        "group may not be empty",
    ),
]


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_a_rule_that_cannot_be_evaluated_refuses(number):
    wrong = requirement(GENERATION, "Gt", number)

    said = violations("NodePool", changed(POOL, REQUIREMENTS, wrong))

    assert [violation.path for violation in said] == [REQUIREMENTS]
    assert "(the rule cannot be evaluated: " in said[0].message


POOL_CHANGES: list[Any] = [
    (
        "spec.replicas",
        2,
        "Cannot transition NodePool between static (replicas set) and dynamic",
    ),
    ("spec.template.spec.nodeClassRef.kind", "Other", "nodeClassRef.kind is immutable"),
    ("spec.template.spec.nodeClassRef.group", "a.b", "nodeClassRef.group is immutable"),
]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    POOL_CHANGES,
)
def test_rules_about_changes_count_only_if_there_is_an_old_object(path, value, message):
    manifest = changed(changed(POOL, path, value), "spec.limits", {"nodes": "3"})

    alone = violations("NodePool", manifest)
    against_the_old = violations("NodePool", manifest, old=POOL)

    assert alone == []
    assert [violation.message.startswith(message) for violation in against_the_old] == [True]


POOL_ACCEPTED: list[Any] = [
    (REQUIREMENTS, requirement("kubernetes.io/arch", "NotIn")),
    (REQUIREMENTS, requirement("topology.kubernetes.io/zone", "Exists", "eu-west-1a")),
    (REQUIREMENTS, requirement("kubernetes.io/arch", "In", "x" * 80 + " !")),
    (REQUIREMENTS, requirement("karpenter.kwok.sh/instance-cpu", "In", "4")),
    (REQUIREMENTS, requirement("karpenter.sh/capacity-type", "In", "cheap")),
    ("spec.template.spec.taints", [{"key": "a", "effect": "NoSchedule"}] * 2),
    ("spec.limits", {"cpu": 1000}),
    (DISRUPTION, REMOVED),
    (DISRUPTION, {"consolidateAfter": "Never"}),
    ("spec.template.metadata.labels", {"intent": None}),
]


@pytest.mark.parametrize(
    ("path", "value"),
    POOL_ACCEPTED,
)
def test_what_a_node_pools_crd_accepts_though_a_config_should_not(path, value):
    """A check of the stack file has to find these: the API server does not."""
    assert violations("NodePool", changed(POOL, path, value)) == []


CLASS_STRUCTURE: list[Any] = [
    (
        "spec.ipPrefixCount",
        2**31,
        "spec.ipPrefixCount",
        "must be of type int32 (got 2147483648)",
    ),
    (
        "spec.kubelet",
        {"evictionMaxPodGracePeriod": -(2**31) - 1},
        "spec.kubelet.evictionMaxPodGracePeriod",
        "must be of type int32",
    ),
    ("spec.detailedMonitoring", "true", "spec.detailedMonitoring", "must be of type boolean"),
    ("spec.subnetSelectorTerms", {}, "spec.subnetSelectorTerms", "must be of type array"),
    (
        "spec.securityGroupSelectorTerms",
        [{"id": "default"}],
        "spec.securityGroupSelectorTerms[0].id",
        "should match 'sg-[0-9a-z]+'",
    ),
    ("spec.amiSelectorTerms", [], "spec.amiSelectorTerms", "should have at least 1 items"),
]


@pytest.mark.parametrize(("path", "value", "where", "message"), CLASS_STRUCTURE)
def test_the_structure_of_a_node_class_is_checked(path, value, where, message):
    said = violations("EC2NodeClass", changed(NODE_CLASS, path, value))

    assert where in [violation.path for violation in said]
    assert any(message in violation.message for violation in said)


def test_every_keyword_of_the_schemas_is_understood():
    """A new one in the next version's CRDs would go unnoticed otherwise."""

    def keywords(schema: dict[str, Any]) -> Iterator[str]:
        yield from schema
        below = [*schema.get("properties", {}).values(), schema.get("items")]
        for part in [*below, schema.get("additionalProperties")]:
            yield from keywords(part) if part else ()

    found = {keyword for kind in FILES for keyword in keywords(crd(kind).schema)}

    assert found - crd_structure.KEYWORDS == set()


CLASS_RULES: list[Any] = [
    ("spec.role", REMOVED, "spec", "must specify exactly one of ['role', 'instanceProfile']"),
    (
        "spec.instanceProfile",
        "nodes",
        "spec",
        "must specify exactly one of ['role', 'instanceProfile']",
    ),
    (
        "spec.amiFamily",
        "Bottlerocket",
        "spec",
        "if set, amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias",
    ),
    (
        "spec.amiSelectorTerms",
        [{"id": "ami-0123456789abcdef0"}],
        "spec",
        "must specify amiFamily if amiSelectorTerms does not contain an alias",
    ),
    (
        "spec.amiSelectorTerms",
        [{"alias": "al2023@latest", "name": "x"}],
        "spec.amiSelectorTerms",
        "'alias' is mutually exclusive, cannot be set with a combination of other fields in"
        " amiSelectorTerms",
    ),
    (
        "spec.amiSelectorTerms",
        [{"alias": "al2023@latest"}, {"name": "x"}],
        "spec.amiSelectorTerms",
        "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",
    ),
    (
        "spec.amiSelectorTerms",
        [{"alias": "al2023"}],
        "spec.amiSelectorTerms[0].alias",
        "'alias' is improperly formatted, must match the format 'family@version'",
    ),
    (
        "spec.subnetSelectorTerms",
        [{}],
        "spec.subnetSelectorTerms",
        "expected at least one, got none, ['tags', 'id']",
    ),
    (
        "spec.subnetSelectorTerms",
        [{"tags": {"MyTag": ""}}],
        "spec.subnetSelectorTerms[0].tags",
        "empty tag keys or values aren't supported",
    ),
    (
        "spec.securityGroupSelectorTerms",
        [{"name": "a", "tags": {"a": "b"}}],
        "spec.securityGroupSelectorTerms",
        "'name' is mutually exclusive, cannot be set with a combination of other fields in"
        " a security group selector term",
    ),
    (
        "spec.blockDeviceMappings",
        [{"rootVolume": True, "ebs": {"volumeSize": "20Gi"}}] * 2,
        "spec.blockDeviceMappings",
        "must have only one blockDeviceMappings with rootVolume",
    ),
    (
        "spec.kubelet",
        {"imageGCHighThresholdPercent": 50, "imageGCLowThresholdPercent": 60},
        "spec.kubelet",
        "imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent",
    ),
    *[
        (
            "spec.tags",
            {key: "x"},
            "spec.tags",
            f"tag contains a restricted tag matching {matching}",
        )
        for key, matching in {
            "eks:eks-cluster-name": "eks:eks-cluster-name",
            "kubernetes.io/cluster/nodeless": "kubernetes.io/cluster/",
            "karpenter.sh/nodepool": "karpenter.sh/nodepool",
            "karpenter.sh/nodeclaim": "karpenter.sh/nodeclaim",
            "karpenter.k8s.aws/ec2nodeclass": "karpenter.k8s.aws/ec2nodeclass",
        }.items()
    ],
]


@pytest.mark.parametrize(
    ("manifest", "path", "value", "where", "message"),
    [(POOL, *rule) for rule in POOL_RULES] + [(NODE_CLASS, *rule) for rule in CLASS_RULES],
)
def test_the_rules_speak_in_upstreams_words(manifest, path, value, where, message):
    said = violations(manifest["kind"], changed(manifest, path, value))

    assert Violation(where, message) in said


@pytest.mark.parametrize("size", SIZES)
def test_a_volume_size_needs_a_unit_and_quotes(size):
    said = violations("EC2NodeClass", changed(NODE_CLASS, VOLUMES, volumes(size)))

    assert [path for path, _ in said] == ["spec.blockDeviceMappings[0].ebs.volumeSize"]


def test_eviction_soft_without_its_grace_periods_fails_as_an_evaluation_error():
    """Upstream's rule forgets that the other map may be missing."""
    said = violations("EC2NodeClass", changed(NODE_CLASS, "spec.kubelet", SOFT_WITHOUT_GRACE))

    assert [path for path, _ in said] == ["spec.kubelet"]
    assert "evictionSoftGracePeriod" in said[0].message
    assert "(the rule cannot be evaluated: " in said[0].message


CLASS_ACCEPTED: list[Any] = [
    (
        "spec.subnetSelectorTerms",
        [{"id": "subnet-1"}, {"id": "subnet-2", "tags": {"a": "b"}}],
    ),
    ("spec.amiSelectorTerms", [{"alias": "al2023@latest", "ssmParameter": "/x"}]),
    ("spec.subnetSelectorTerms", [{"id": "xxsubnet-1!!"}]),
    *[("spec.blockDeviceMappings", [{"ebs": {"volumeSize": size}}]) for size in ("Ti", "T")],
    ("spec.role", "path/to/role"),
    (
        "spec.blockDeviceMappings",
        [{"ebs": {"volumeSize": "20Gi", "throughput": 5000}}],
    ),
    ("spec.blockDeviceMappings", [{}]),
    ("spec.tags", {"Name": "x", "karpenter.sh/discovery": "x"}),
]


@pytest.mark.parametrize(
    ("path", "value"),
    CLASS_ACCEPTED,
)
def test_what_a_node_classes_crd_accepts_though_a_config_should_not(path, value):
    """A check of the stack file has to find these: the API server does not."""
    assert violations("EC2NodeClass", changed(NODE_CLASS, path, value)) == []


def test_metadata_options_written_in_part_get_the_other_defaults():
    schema = crd("EC2NodeClass").schema
    partial = changed(NODE_CLASS, "spec.metadataOptions", {"httpEndpoint": "enabled"})

    filled = crd_structure.with_defaults(schema, partial)

    assert filled["spec"]["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "disabled",
        "httpPutResponseHopLimit": 1,
        "httpTokens": "required",
    }


def test_a_default_is_applied_to_an_absent_field_but_not_below_an_absent_parent():
    schema = crd("NodePool").schema

    absent = crd_structure.with_defaults(schema, changed(POOL, DISRUPTION, REMOVED))
    null = crd_structure.with_defaults(schema, changed(POOL, DISRUPTION, None))
    empty = crd_structure.with_defaults(schema, changed(POOL, DISRUPTION, {}))

    budgets = {"budgets": [{"nodes": "10%"}], "consolidationPolicy": "WhenEmptyOrUnderutilized"}
    assert absent["spec"]["disruption"] == budgets | {"consolidateAfter": "0s"}
    assert null == absent
    assert empty["spec"]["disruption"] == budgets


def test_a_capacity_buffer_may_name_neither_a_template_nor_a_target():
    neither = changed(BUFFER, "spec.podTemplateRef", REMOVED)
    template_alone = changed(BUFFER, "spec.replicas", REMOVED)
    target = {"apiGroup": "apps", "kind": "Deployment", "name": "web"}
    both = changed(BUFFER, "spec.scalableRef", target)

    assert violations("CapacityBuffer", neither) == []
    assert violations("CapacityBuffer", template_alone) == [
        Violation("spec", "If podTemplateRef is set, replicas or limits must also be set")
    ]
    assert violations("CapacityBuffer", both) == [
        Violation("spec", "You must define either PodTemplateRef or ScalableRef, but not both")
    ]


def test_an_object_of_another_version_or_kind_is_refused():
    beta = POOL | {"apiVersion": "karpenter.sh/v1beta1"}

    assert violations("NodePool", beta) == [
        Violation("apiVersion", 'must be karpenter.sh/v1 (got "karpenter.sh/v1beta1")')
    ]
    with pytest.raises(LookupError, match=r"^Provisioner is none of Karpenter's kinds, which are "):
        violations("Provisioner", POOL)


def test_a_required_value_that_is_missing_silences_the_rules_as_on_the_server():
    manifest = changed(POOL, REQUIREMENTS, requirement("karpenter.sh/capacity-type", "In"))

    said = violations("NodePool", changed(manifest, "spec.template.spec.nodeClassRef", REMOVED))

    assert said == [Violation("spec.template.spec.nodeClassRef", "required value")]


def test_a_manifest_is_not_changed_by_being_checked():
    manifest = changed(POOL, DISRUPTION, REMOVED)
    before = copy.deepcopy(manifest)

    violations("NodePool", manifest)

    assert manifest == before


# What the tables above say and the values that have a test of their own; with upstream's message
# where there is one.
CASES: list[tuple[str, dict[str, Any], str]] = [
    *[("NodePool", changed(POOL, path, value), "") for path, value, *_ in POOL_STRUCTURE],
    *[("NodePool", changed(POOL, path, value), "") for path, value, *_ in METADATA],
    *[("NodePool", changed(POOL, path, value), "") for path, value in METADATA_ACCEPTED],
    *[
        ("EC2NodeClass", changed(NODE_CLASS, path, value), "")
        for path, value, *_ in CLASS_STRUCTURE
    ],
    *[("NodePool", changed(POOL, path, value), said) for path, value, _, said in POOL_RULES],
    *[("NodePool", changed(POOL, path, value), "") for path, value in POOL_ACCEPTED],
    *[
        ("NodePool", changed(POOL, REQUIREMENTS, requirement(GENERATION, "Gt", number)), "")
        for number in NO_NUMBERS
    ],
    *[
        ("EC2NodeClass", changed(NODE_CLASS, path, value), said)
        for path, value, _, said in CLASS_RULES
    ],
    *[("EC2NodeClass", changed(NODE_CLASS, path, value), "") for path, value in CLASS_ACCEPTED],
    *[("EC2NodeClass", changed(NODE_CLASS, VOLUMES, volumes(size)), "") for size in SIZES],
    ("EC2NodeClass", changed(NODE_CLASS, "spec.kubelet", SOFT_WITHOUT_GRACE), ""),
    ("NodePool", POOL, ""),
    ("EC2NodeClass", NODE_CLASS, ""),
]


class ApiServer:
    """A local API server with Karpenter's CRDs; asks it what it would do."""

    def __init__(self, state: State, url: str) -> None:
        self.url = url
        self.token = state.admin_token.read_text().strip()
        trust = ssl.create_default_context(cafile=state.certificate)
        self.open = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust)
        ).open

    def says(self, method: str, path: str, manifest: object = None) -> tuple[int, str]:
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if manifest is None else json.dumps(manifest).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with self.open(request, timeout=30) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def path(self, kind: str) -> str:
        return f"/apis/{crd(kind).api_version}/{kind.lower()}{'es' if kind.endswith('s') else 's'}"


@pytest.fixture(scope="module")
def api_server(tmp_path_factory) -> Iterator[ApiServer]:
    state = State(tmp_path_factory.mktemp("api-server") / "state")
    state.create()
    try:
        plane = control_plane.start(state, toolchain.ensure(CONTROL_PLANE))
        server = ApiServer(state, plane.url)
        for kind in ("NodePool", "EC2NodeClass"):
            text = (CRDS / FILES[kind]).read_text()
            definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
            assert server.says("POST", definitions, yaml.safe_load(text))[0] == HTTPStatus.CREATED
            deadline = time.monotonic() + 20
            while server.says("GET", server.path(kind))[0] != HTTPStatus.OK:
                assert time.monotonic() < deadline, f"{kind} is not served"
                time.sleep(0.1)
        yield server
    finally:
        Processes(state).stop()


@pytest.mark.engine
@pytest.mark.parametrize(("kind", "manifest", "message"), CASES)
def test_a_real_api_server_comes_to_the_same_verdict(api_server, kind, manifest, message):
    status, said = api_server.says(
        "POST", f"{api_server.path(kind)}?dryRun=All&fieldValidation=Strict", manifest
    )

    assert (status == HTTPStatus.CREATED) == (violations(kind, manifest) == []), said
    assert message in (said if status == HTTPStatus.CREATED else json.loads(said)["message"])


@pytest.mark.engine
def test_a_real_api_server_judges_changes_alike(api_server):
    path = api_server.path("NodePool")
    created, text = api_server.says("POST", path, POOL)
    assert created == HTTPStatus.CREATED, text
    version = json.loads(text)["metadata"]["resourceVersion"]

    for where, value, message in POOL_CHANGES:
        manifest = changed(changed(POOL, where, value), "spec.limits", {"nodes": "3"})
        manifest = changed(manifest, "metadata.resourceVersion", version)
        status, said = api_server.says("PUT", f"{path}/default?dryRun=All", manifest)

        assert status == HTTPStatus.UNPROCESSABLE_ENTITY, said
        assert message in said
