from collections.abc import Iterator, Mapping

import pytest

from components.karpenter.crd_rules import crd
from components.karpenter.drift import TABLES, Rolls, rolling, rolls

NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
EVERY, MAYBE = "replaces every node of it", "may replace nodes of it"
# What Karpenter's types mark hash:"ignore", or what is no part of the hash; all else is.
NOT_HASHED = {
    "EC2NodeClass": {
        "spec.amiFamily",
        "spec.amiSelectorTerms",
        "spec.capacityReservationSelectorTerms",
        "spec.ipPrefixCount",
        "spec.securityGroupSelectorTerms",
        "spec.subnetSelectorTerms",
    },
    "NodePool": {
        "spec.disruption",
        "spec.limits",
        "spec.replicas",
        "spec.template.spec.requirements",
        "spec.weight",
    },
}
# It decides on the image, although no hash sees it.
SEEN_ALL_THE_SAME = {"spec.amiSelectorTerms.alias"}


def fields(schema: Mapping, path: str) -> Iterator[str]:
    """Every property below, leaves and what holds them, `spec.kubelet.maxPods`."""
    for name, below in schema.get("items", schema).get("properties", {}).items():
        yield f"{path}.{name}"
        yield from fields(below, f"{path}.{name}")


def of_spec(kind: str) -> list[str]:
    return [*fields(crd(kind).schema["properties"]["spec"], "spec")]


def below(path: str, parents: set[str]) -> bool:
    return any(f"{path}.".startswith(f"{parent}.") for parent in parents)


@pytest.mark.parametrize("kind", TABLES)
def test_every_field_of_the_api_has_an_answer_and_the_hash_decides_on_it(kind):
    leaves = [
        path for path in of_spec(kind) if not any(o.startswith(f"{path}.") for o in of_spec(kind))
    ]

    hashed = {path for path in leaves if not below(path, NOT_HASHED[kind])}
    answers = {path: rolls(kind, path) for path in leaves if path not in SEEN_ALL_THE_SAME}
    assert {path for path, answer in answers.items() if answer is Rolls.ALL} == hashed


@pytest.mark.parametrize("kind", TABLES)
def test_the_table_names_no_field_that_the_api_does_not_have(kind):
    top = {f"{name}" for name in crd(kind).schema["properties"]} | {"metadata.name"}

    assert set(TABLES[kind]) <= {*of_spec(kind), *top}


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("NodePool", "spec.wieght"),
        ("NodePool", "spec.template.spec.kubelet"),
        ("NodePool", "spec.tags"),
        ("EC2NodeClass", "spec.template"),
        ("EC2NodeClass", "spec.tagsOfIt"),
        ("NodePool", ""),
    ],
)
def test_what_is_no_field_has_no_answer(kind, path):
    told = f"^{kind} has no field {path}: correct the path, or add it to TABLES$"

    with pytest.raises(LookupError, match=told):
        rolls(kind, path)


def test_a_kind_without_nodes_has_no_answer():
    with pytest.raises(LookupError, match="NodeClaim"):
        rolls("NodeClaim", "spec")


@pytest.mark.parametrize(
    ("kind", "path", "answer"),
    [
        ("NodePool", "spec.template.spec.taints[0].effect", Rolls.ALL),
        ("NodePool", 'spec.template.metadata.labels["a.b/c"]', Rolls.ALL),
        ("NodePool", "spec.template.metadata.labels.intent", Rolls.ALL),
        ("NodePool", "spec.template.metadata", Rolls.ALL),
        ("NodePool", "spec.template.spec.requirements[2].values[0]", Rolls.SOME),
        ("NodePool", "spec.template.spec", Rolls.SOME),
        ("NodePool", "spec", Rolls.SOME),
        ("NodePool", "spec.disruption.budgets[0].nodes", Rolls.NONE),
        ("NodePool", 'spec.limits["nvidia.com/gpu"]', Rolls.NONE),
        ("NodePool", "metadata", Rolls.NONE),
        ("NodePool", 'metadata.annotations["pulumi.com/waitFor"]', Rolls.NONE),
        ("NodePool", "metadata.name", Rolls.ALL),
        ("EC2NodeClass", 'spec.tags["a]b.c"]', Rolls.ALL),
        ("EC2NodeClass", 'spec.tags["a\\"].b"]', Rolls.ALL),
        ("EC2NodeClass", "spec.amiSelectorTerms[0].alias", Rolls.ALL),
        ("EC2NodeClass", "spec.amiSelectorTerms[0].id", Rolls.SOME),
        ("EC2NodeClass", "spec.amiSelectorTerms", Rolls.SOME),
        ("EC2NodeClass", 'spec.subnetSelectorTerms[0].tags["x"]', Rolls.SOME),
        ("EC2NodeClass", "spec.amiFamily", Rolls.SOME),
        ("EC2NodeClass", "spec.ipPrefixCount", Rolls.NONE),
        ("EC2NodeClass", "spec.blockDeviceMappings[1].ebs.volumeSize", Rolls.ALL),
    ],
)
def test_a_path_of_a_detailed_diff_has_its_field_s_answer(kind, path, answer):
    assert rolls(kind, path) is answer


@pytest.mark.parametrize(
    ("kind", "paths", "words"),
    [
        (POOL, ["spec.weight", "spec.limits.cpu"], ""),
        (POOL, ["spec.weight", "spec.template.spec.requirements[0].values[1]"], MAYBE),
        (POOL, ["spec.template.spec.requirements", "spec.template.spec.expireAfter"], EVERY),
        (POOL, [], ""),
        (POOL, ["__fieldManager"], ""),
        (NODE_CLASS, ["spec.subnetSelectorTerms[0].id"], MAYBE),
        (NODE_CLASS, ['spec.tags["team"]'], EVERY),
        # Others have a spec too.
        ("kubernetes:apps/v1:Deployment", ["spec.replicas"], ""),
        ("aws:ec2/vpc:Vpc", ["tags"], ""),
        ("kubernetes:example.com/v1:NodePool", ["spec.template"], ""),
        ("pulumi:pulumi:Stack", [], ""),
    ],
)
def test_a_changed_resource_says_what_becomes_of_its_nodes(kind, paths, words):
    assert rolling(kind, paths) == words
