"""The ConfigMap karpenter-global-settings: what of it has a place."""

import pytest

from tests.frugal_eks.migrate.karpenter.manifests import (
    migrated,
    objects,
    provisioner,
    template,
    told,
)


def settings(namespace="karpenter", **data):
    metadata = {"name": "karpenter-global-settings"} | (
        {"namespace": namespace} if namespace else {}
    )
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def left(**data):
    return {path: text for path, text, _ in told(migrated(settings(**data)))}


@pytest.mark.feature("A1-35")
def test_what_the_stack_does_by_itself_is_not_told():
    data = {
        "aws.clusterName": "demo",
        "aws.clusterEndpoint": "https://example.com",
        "aws.interruptionQueueName": "demo",
        "aws.vmMemoryOverheadPercent": "0.075",
        "batchMaxDuration": "10s",
        "featureGates.driftEnabled": "true",
        "aws.defaultInstanceProfile": "",
    }

    assert left(**data) == {}


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("aws.isolatedVPC", "true", "write natGateways: none into network, which makes it so"),
        ("aws.reservedENIs", "1", "the stack gives Karpenter's chart no such value: it keeps the "),
        ("aws.vmMemoryOverheadPercent", "0.05", "the stack gives Karpenter's chart no such value"),
        ("batchIdleDuration", "5s", "the stack gives Karpenter's chart no such value: it keeps t"),
        ("aws.enablePodENI", "true", "is gone: Karpenter reads it from the VPC CNI"),
        ("aws.enableENILimitedPodDensity", "false", "is gone: write maxPods under the kubelet of"),
        ("aws.assumeRoleARN", "arn:x", "is gone: Karpenter works in the account of its cluster"),
        ("featureGates.driftEnabled", "false", "changed nodes are always replaced since Karpent"),
        ("aws.defaultInstanceProfile", "nodes", "write it into each class as instanceProfile"),
        ("aws.tags.team", "a", "write it into the tags of each class"),
        ("surprise", "1", "the stack gives Karpenter's chart no such value: it keeps the chart's"),
    ],
)
def test_what_has_no_key_is_told_with_what_to_do(key, value, text):
    found = left(**{key: value})

    assert set(found) == {f"data.{key}"}
    assert found[f"data.{key}"].startswith(text)


def test_the_namespace_of_the_map_is_karpenters():
    assert migrated(settings("kube-system")).values["karpenter"] == {"namespace": "kube-system"}
    assert migrated(settings(None)).values == {}


@pytest.mark.feature("A1-35")
def test_profile_and_tags_of_all_nodes_go_into_each_class():
    data = {"aws.defaultInstanceProfile": "nodes", "aws.tags.team": "a", "aws.tags.stage": "b"}
    migration = migrated(
        settings(**data),
        template(tags={"stage": "own"}),
        template("other", instanceProfile="others"),
        provisioner(),
    )

    first, other, _ = objects(migration)
    assert first["spec"]["instanceProfile"] == "nodes"
    assert first["spec"]["tags"] == {"team": "a", "stage": "own"}
    assert other["spec"]["instanceProfile"] == "others"
    assert other["spec"]["tags"] == {"team": "a", "stage": "b"}
    assert told(migration) == []
    place = ("karpenter", "nodeClasses", "default", "tags", "team")
    assert migration.comments[place] == "from aws.tags of karpenter-global-settings"
