"""A Provisioner v1alpha5 as a node pool: when nodes go, names, taints, limits, what is told."""

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

WEIGHT = 10
NEVER_BEFORE = "as before, where nothing said so"


@pytest.mark.feature("A1-01")
@pytest.mark.parametrize("seconds", [0, 30, 3600])
def test_seconds_after_empty_are_when_empty_with_the_same_seconds(seconds):
    migration = migrated(provisioner(ttlSecondsAfterEmpty=seconds), template())

    disruption = objects(migration)[-1]["spec"]["disruption"]
    assert disruption["consolidationPolicy"] == "WhenEmpty"
    assert disruption["consolidateAfter"] == f"{seconds}s"
    assert comments(migration)["disruption.consolidateAfter"].startswith("was ttlSecondsAfterEmpty")


@pytest.mark.feature("A1-02")
@pytest.mark.parametrize("spec", [{}, {"consolidation": {"enabled": False}}, {"consolidation": {}}])
def test_without_a_word_of_removal_no_node_is_ever_removed(spec):
    migration = migrated(provisioner(**spec), template())

    pool = objects(migration)[-1]["spec"]
    assert pool["disruption"]["consolidateAfter"] == "Never"
    assert pool["template"]["spec"]["expireAfter"] == "Never"
    found = comments(migration)
    assert found["disruption.consolidateAfter"].startswith(NEVER_BEFORE)
    assert found["expireAfter"].startswith(NEVER_BEFORE)


@pytest.mark.feature("A1-03")
def test_consolidation_has_its_policy_and_a_time_written_out():
    disruption = pool_of(provisioner(consolidation={"enabled": True}), template())["disruption"]

    assert disruption == {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "0s",
        "budgets": [{"nodes": "10%"}],
    }


@pytest.mark.feature("A1-04")
def test_both_ways_of_removal_together_are_refused_and_neither_is_chosen():
    both = provisioner(consolidation={"enabled": True}, ttlSecondsAfterEmpty=30)
    migration = migrated(both, template())

    assert told(migration) == [
        (
            "spec.ttlSecondsAfterEmpty",
            "stands beside consolidation.enabled, which the old API refused: for "
            "ttlSecondsAfterEmpty write consolidationPolicy WhenEmpty, consolidateAfter 30s; for "
            "consolidation WhenEmptyOrUnderutilized, 0s",
            30,
        )
    ]
    assert objects(migration)[-1]["spec"]["disruption"]["consolidateAfter"] == "Never"


def test_seconds_after_empty_count_beside_a_consolidation_that_is_off():
    spec = {"consolidation": {"enabled": False}, "ttlSecondsAfterEmpty": 30}
    migration = migrated(provisioner(**spec), template())

    assert told(migration) == []
    disruption = objects(migration)[-1]["spec"]["disruption"]
    assert (disruption["consolidationPolicy"], disruption["consolidateAfter"]) == (
        "WhenEmpty",
        "30s",
    )


@pytest.mark.feature("A1-10")
@pytest.mark.parametrize(
    ("seconds", "age"),
    [(2592000, "720h"), (3600, "1h"), (120, "120s"), (5400, "5400s"), (0, "0s")],
)
def test_seconds_until_expired_are_an_age_and_its_force_is_told(seconds, age):
    migration = migrated(provisioner(ttlSecondsUntilExpired=seconds), template())

    assert objects(migration)[-1]["spec"]["template"]["spec"]["expireAfter"] == age
    assert comments(migration)["expireAfter"] == (
        "drains now whatever the budgets say, and before a new node is there"
    )


@pytest.mark.parametrize("key", ["ttlSecondsUntilExpired", "ttlSecondsAfterEmpty"])
def test_a_negative_time_is_told_and_counts_as_none(key):
    migration = migrated(provisioner(**{key: -1}), template())

    assert told(migration) == [(f"spec.{key}", "cannot be negative: correct it or drop it", -1)]
    pool = objects(migration)[-1]["spec"]
    assert pool["template"]["spec"]["expireAfter"] == "Never"
    assert pool["disruption"]["consolidateAfter"] == "Never"


def test_limits_are_text_and_stand_flat():
    limits = {"resources": {"cpu": 1000, "memory": "1000Gi", "nvidia.com/gpu": 4}}

    found = pool_of(provisioner(limits=limits, weight=WEIGHT), template())

    assert found["limits"] == {"cpu": "1000", "memory": "1000Gi", "nvidia.com/gpu": "4"}
    assert found["weight"] == WEIGHT


def test_taints_and_startup_taints_stay_and_what_is_wrong_with_them_is_told():
    taints = [
        {"key": "gpu", "value": "", "effect": "NoSchedule"},
        {"key": "team", "value": "a", "effect": "Sometimes"},
        {"key": "team", "value": "a", "effect": "NoExecute", "timeAdded": "2023-01-01T00:00:00Z"},
    ]
    migration = migrated(provisioner(taints=taints, startupTaints=taints[:1]), template())

    pool = migration.values["karpenter"]["nodePools"]["default"]
    assert pool["taints"] == [
        {"key": "gpu", "effect": "NoSchedule"},
        {"key": "team", "value": "a", "effect": "NoExecute"},
    ]
    assert pool["startupTaints"] == [{"key": "gpu", "effect": "NoSchedule"}]
    assert [(path, value) for path, _, value in told(migration)] == [
        ("spec.taints[1].effect", "Sometimes"),
        ("spec.taints[2].timeAdded", "2023-01-01T00:00:00Z"),
    ]


@pytest.mark.feature("A1-28")
def test_labels_and_annotations_are_the_nodes_and_names_that_changed_are_the_present_ones():
    labels = {"intent": "apps", "karpenter.sh/provisioner-name": "default"}
    annotations = {"a": "b", "karpenter.sh/do-not-consolidate": "true"}
    migration = migrated(provisioner(labels=labels, annotations=annotations), template())

    metadata = objects(migration)[-1]["spec"]["template"]["metadata"]
    assert metadata["labels"] == {"intent": "apps"}
    assert metadata["annotations"] == {"a": "b", "karpenter.sh/do-not-disrupt": "true"}
    assert [path for path, _, _ in told(migration)] == ["spec.labels.karpenter.sh/provisioner-name"]


@pytest.mark.feature("A1-35")
def test_what_breaks_the_old_schema_is_told_and_the_rest_is_converted():
    spec = {
        "ttlSecondsAfterEmpty": "30",
        "weight": 0,
        "limits": {"resources": {"cpu": 1.5, "memory": "10Gi"}},
        "taints": [{"key": "a"}, {"key": "b", "effect": "NoSchedule", "colour": "red"}],
        "requirments": [],
        "labels": {"a": "b"},
    }
    migration = migrated(provisioner(**spec), template())

    assert told(migration) == [
        (
            "spec.limits.resources.cpu",
            "Provisioner does not take it: must be an integer or a text of the right form",
            1.5,
        ),
        (
            "spec.requirments",
            "Provisioner does not take it: unknown field, remove it or correct its spelling",
            [],
        ),
        ("spec.taints[0]", "Provisioner does not take it without effect: add it", {"key": "a"}),
        (
            "spec.taints[1].colour",
            "Provisioner does not take it: unknown field, remove it or correct its spelling",
            "red",
        ),
        (
            "spec.ttlSecondsAfterEmpty",
            "Provisioner does not take it: must be of type integer",
            "30",
        ),
        ("spec.weight", "Provisioner does not take it: should be greater than or equal to 1", 0),
    ]
    pool = migration.values["karpenter"]["nodePools"]["default"]
    assert pool["limits"] == {"memory": "10Gi"}
    assert pool["taints"] == [{"key": "b", "effect": "NoSchedule"}]
    assert pool["labels"] == {"a": "b"}
    assert objects(migration)


@pytest.mark.parametrize("spec", [None, 5, [], "x"])
def test_a_spec_that_is_none_does_not_stop_the_conversion(spec):
    document = provisioner() | {"spec": spec}
    migration = migrated(document)

    assert "default" in migration.values["karpenter"]["nodePools"]
    assert told(migration)


def test_what_the_server_and_tools_wrote_is_not_told_and_labels_of_the_object_are():
    document = provisioner()
    document["metadata"] |= {
        "uid": "1",
        "resourceVersion": "2",
        "finalizers": ["karpenter.sh/termination"],
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "karpenter.sh/provisioner-hash": "1",
            "owner": "me",
        },
        "labels": {"app": "karpenter"},
        "ownerReferences": [{"name": "x"}],
    }
    document["status"] = {"resources": {"cpu": "4"}}
    migration = migrated(document, template())

    assert [path for path, _, _ in told(migration)] == [
        "metadata.annotations.owner",
        "metadata.labels.app",
        "metadata.ownerReferences",
    ]
