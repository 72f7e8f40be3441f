"""Requirements of a Provisioner v1alpha5, with what its webhook added."""

import pytest

from tests.frugal_eks.migrate.karpenter.manifests import (
    comments,
    migrated,
    objects,
    pool_of,
    provisioner,
    template,
    told,
)

CAPACITY = "karpenter.sh/capacity-type"
ARCH = "kubernetes.io/arch"
CATEGORY = "karpenter.k8s.aws/instance-category"
GENERATION = "karpenter.k8s.aws/instance-generation"
OLDEST = 3


def asks(key, operator, *values):
    return {"key": key, "operator": operator} | ({"values": list(values)} if values else {})


def requirements(*found, **spec):
    """What the API gets, by key; each key once."""
    pool = objects(migrated(provisioner(requirements=list(found), **spec), template()))[-1]
    made = pool["spec"]["template"]["spec"]["requirements"]
    assert len({each["key"] for each in made}) == len(made)
    return {each["key"]: (each["operator"], *each.get("values", [])) for each in made}


@pytest.mark.feature("A1-14")
def test_what_the_webhook_added_is_written_out():
    migration = migrated(provisioner(), template())

    pool = migration.values["karpenter"]["nodePools"]["default"]
    assert pool["capacityTypes"] == ["on-demand"]
    assert pool["architectures"] == ["amd64"]
    assert pool["instanceCategories"] == ["c", "m", "r"]
    assert pool["minGeneration"] == OLDEST
    assert comments(migration)["capacityTypes"] == (
        "the old API added it unasked; the package takes spot too"
    )
    assert requirements() == {
        "kubernetes.io/os": ("In", "linux"),
        ARCH: ("In", "amd64"),
        CAPACITY: ("In", "on-demand"),
        CATEGORY: ("In", "c", "m", "r"),
        GENERATION: ("Gte", "3"),
    }


@pytest.mark.feature("A1-14")
@pytest.mark.parametrize(
    "asked",
    [
        asks("node.kubernetes.io/instance-type", "In", "m5.large"),
        asks("karpenter.k8s.aws/instance-family", "NotIn", "t3"),
        asks(CATEGORY, "In", "g"),
        asks(GENERATION, "Gt", "4"),
        asks("beta.kubernetes.io/instance-type", "In", "m5.large"),
    ],
)
def test_one_requirement_of_instances_keeps_all_defaults_of_instances_away(asked):
    found = requirements(asked)

    key = asked["key"].replace("beta.kubernetes.io", "node.kubernetes.io")
    assert found == {
        "kubernetes.io/os": ("In", "linux"),
        ARCH: ("In", "amd64"),
        CAPACITY: ("In", "on-demand"),
        key: (asked["operator"], *asked["values"]),
    }


def test_category_and_generation_together_are_what_they_were():
    found = requirements(asks(CATEGORY, "In", "g", "p"), asks(GENERATION, "Gt", "4"))

    assert found[CATEGORY] == ("In", "g", "p")
    assert found[GENERATION] == ("Gt", "4")


@pytest.mark.parametrize(
    "asked",
    [
        asks(CAPACITY, "NotIn", "spot"),
        asks(ARCH, "Exists"),
        asks("kubernetes.io/os", "NotIn", "windows"),
        asks("example.com/team", "In", "a"),
        asks("topology.kubernetes.io/zone", "In", "eu-west-1a"),
        asks("karpenter.k8s.aws/instance-size", "In", "large"),
        asks("karpenter.k8s.aws/instance-size", "NotIn", "no-size"),
    ],
)
def test_what_no_short_form_says_stays_a_requirement(asked):
    migration = migrated(provisioner(requirements=[asked]), template())

    assert migration.values["karpenter"]["nodePools"]["default"]["requirements"] == [asked]
    assert requirements(asked)[asked["key"]] == (asked["operator"], *asked.get("values", []))
    assert told(migration) == []


def test_a_key_asked_for_twice_stays_two_requirements():
    twice = [asks(CAPACITY, "In", "spot"), asks(CAPACITY, "NotIn", "on-demand")]

    assert pool_of(provisioner(requirements=twice), template())["requirements"] == twice


def test_old_names_of_labels_become_the_present_ones():
    asked = [asks("beta.kubernetes.io/arch", "In", "arm64", "amd64")]
    asked += [asks("failure-domain.beta.kubernetes.io/zone", "In", "eu-west-1a")]
    migration = migrated(provisioner(requirements=asked), template())

    pool = migration.values["karpenter"]["nodePools"]["default"]
    assert pool["architectures"] == ["arm64", "amd64"]
    assert pool["requirements"] == [asks("topology.kubernetes.io/zone", "In", "eu-west-1a")]
    assert comments(migration)["requirements.0"] == "by its present name"


@pytest.mark.parametrize(
    ("asked", "path", "text"),
    [
        (asks("karpenter.k8s.aws/instance-pods", "Gt", "10"), "", "no node has this label any mor"),
        (asks("karpenter.sh/provisioner-name", "In", "a"), "", "Karpenter puts karpenter.sh/nodep"),
        (asks("a", "Near", "b"), "", "no such operator: write one of In, NotIn, Exists, DoesNotEx"),
        (asks("a", "In"), "", "In without values fits no node: list at least one"),
        (asks("a", "NotIn"), "", "excludes nothing: drop it"),
        (asks("a", "Gt", "4", "5"), "", "Gt compares with one whole number: write it as text, fo"),
        (asks("a", "Lt", "x"), "", "Lt compares with one whole number: write it as text, for exa"),
        (asks("a", "Exists", "b"), ".values", "the old API did not look at values of Exists: dro"),
    ],
)
@pytest.mark.feature("A1-35")
def test_a_requirement_that_cannot_stay_is_told(asked, path, text):
    migration = migrated(provisioner(requirements=[asked]), template())

    ((where, why, value),) = told(migration)
    assert where == f"spec.requirements[0]{path}"
    assert why.startswith(text)
    assert value == (asked if not path else ["b"])
    pool = migration.values["karpenter"]["nodePools"]["default"]
    assert pool.get("requirements", []) == ([asks("a", "Exists")] if path else [])
    assert objects(migration)


def test_a_label_that_chooses_nodes_stands_without_a_default_beside_it():
    labels = {CAPACITY: "spot", ARCH: "arm64"}
    pool = pool_of(provisioner(labels=labels), template())

    assert not {"capacityTypes", "architectures", "requirements"} & pool.keys()
    assert objects(migrated(provisioner(labels=labels), template()))


def test_a_label_and_a_requirement_of_one_key_both_stay():
    asked = [asks(CAPACITY, "In", "spot", "on-demand")]
    pool = pool_of(provisioner(labels={CAPACITY: "spot"}, requirements=asked), template())

    assert pool["requirements"] == asked
    assert "capacityTypes" not in pool
