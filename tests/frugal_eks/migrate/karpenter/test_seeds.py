"""The Provisioners and AWSNodeTemplates of the documents that this project replaces."""

from pathlib import Path

import pytest
import yaml

from components.karpenter import crd_structure
from components.karpenter.crd_rules import violations
from frugal_eks.migrate.conversion import convert
from frugal_eks.migrate.documents import read
from frugal_eks.migrate.karpenter import schemas
from tests.frugal_eks.migrate.karpenter.manifests import comments, objects, told

SEEDS = Path(__file__).parents[3] / "data" / "seeds"
FILES = ("001-provisioner.yaml", "002-provisioner.yaml")
HOPS = 2
"""The first API's own."""
VALUES = {"CLUSTER_NAME": "demo"}


def seed(name):
    return convert(read([str(SEEDS / name)], VALUES))


def spec_of(migration, kind):
    return next(one["spec"] for one in objects(migration) if one["kind"] == kind)


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("file", FILES)
def test_the_old_schemas_take_the_documents_as_they_are(file):
    documents = read([str(SEEDS / file)], VALUES)

    assert {document.kind for document in documents} == {"Provisioner", "AWSNodeTemplate"}
    for document in documents:
        schema = schemas.schema(document.kind)
        assert crd_structure.refusals(schema, document.value["spec"]) == []


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("file", FILES)
def test_each_becomes_a_pool_and_a_class_that_the_present_api_takes(file):
    made = objects(seed(file))

    assert [one["kind"] for one in made] == ["EC2NodeClass", "NodePool"]
    assert [violations(one["kind"], one) for one in made] == [[], []]


@pytest.mark.feature("A1-03", "A1-10", "A1-11", "A1-14")
def test_the_pool_of_001_says_all_that_the_old_api_did():
    spec = spec_of(seed("001-provisioner.yaml"), "NodePool")

    assert spec["template"]["metadata"] == {"labels": {"intent": "apps"}}
    assert spec["template"]["spec"] == {
        "nodeClassRef": {
            "group": "karpenter.k8s.aws",
            "kind": "EC2NodeClass",
            "name": "default",
        },
        "requirements": [
            {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
            # The second Provisioner of the document, which is applied over the first.
            {
                "key": "karpenter.sh/capacity-type",
                "operator": "In",
                "values": ["on-demand", "spot"],
            },
            {
                "key": "karpenter.k8s.aws/instance-category",
                "operator": "In",
                "values": ["c", "m", "r"],
            },
            {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gte", "values": ["3"]},
            {
                "key": "karpenter.k8s.aws/instance-size",
                "operator": "NotIn",
                "values": ["nano", "micro", "small", "medium", "large"],
            },
        ],
        "expireAfter": "720h",
        "terminationGracePeriod": "30m",
    }
    assert spec["limits"] == {"cpu": "1000", "memory": "1000Gi"}
    assert spec["disruption"] == {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "0s",
        "budgets": [{"nodes": "10%"}],
    }


@pytest.mark.feature("A1-14")
def test_each_line_of_001_whose_meaning_changed_has_a_comment():
    found = comments(seed("001-provisioner.yaml"))

    assert set(found) == {
        "architectures",
        "instanceCategories",
        "minGeneration",
        "expireAfter",
        "terminationGracePeriod",
        "disruption.consolidateAfter",
        "disruption.budgets",
    }
    assert found["architectures"] == "the old API added it unasked"
    assert found["expireAfter"].startswith("drains now whatever the budgets say")


def test_nothing_of_001_is_left_but_the_state_that_it_applies_over():
    left = told(seed("001-provisioner.yaml"))

    assert [path for path, _, _ in left] == ["", ""]
    assert all("comes again in" in text for _, text, _ in left)


@pytest.mark.feature("A1-12", "A1-13")
def test_the_class_of_001_finds_the_eksctl_cluster_and_tags_as_spelled():
    spec = spec_of(seed("001-provisioner.yaml"), "EC2NodeClass")

    assert spec["subnetSelectorTerms"] == [{"tags": {"alpha.eksctl.io/cluster-name": "demo"}}]
    assert spec["securityGroupSelectorTerms"] == spec["subnetSelectorTerms"]
    assert spec["tags"] == {
        "KarpenerProvisionerName": "default",
        "NodeType": "karpenter-workshop",
        "IntentLabel": "apps",
    }


@pytest.mark.feature("A1-35", "A2-52")
def test_002_keeps_its_two_minutes_and_one_limit_and_selects_by_the_discovery_tag():
    migration = seed("002-provisioner.yaml")
    pool = spec_of(migration, "NodePool")
    node_class = spec_of(migration, "EC2NodeClass")

    assert pool["template"]["spec"]["expireAfter"] == "120s"
    assert comments(migration)["expireAfter"] == (
        "drains now whatever the budgets say, and before a new node is there"
    )
    assert pool["limits"] == {"cpu": "1000"}
    assert node_class["subnetSelectorTerms"] == [{"tags": {"karpenter.sh/discovery": "demo"}}]
    assert node_class["metadataOptions"]["httpPutResponseHopLimit"] == HOPS
    assert told(migration) == []


def test_a_template_without_an_image_gets_the_release_that_the_shipped_stacks_have():
    shipped = Path(__file__).parents[4] / "stacks" / "Pulumi.nodeless.yaml"
    stack = yaml.safe_load(shipped.read_text())["config"]["frugal-eks:karpenter"]

    found = seed("001-provisioner.yaml").values["karpenter"]["nodeClasses"]["default"]

    assert found["amiAlias"] == stack["nodeClasses"]["default"]["amiAlias"]
