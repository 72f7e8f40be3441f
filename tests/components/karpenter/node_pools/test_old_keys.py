"""Keys of Karpenter's earlier APIs are refused with the line to write instead."""

import pytest

from tests.components.karpenter.node_pools.node_pool import config, spec, told

EMPTY = "consolidationPolicy: WhenEmpty, consolidateAfter: 30s"
PACKED = "consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 0s"
BOTH = "and consolidation.enabled are of the old API, which refuses both together: write"


@pytest.mark.feature("A1-04")
def test_consolidation_and_a_time_for_empty_nodes_are_refused_in_one_message():
    assert told(consolidation={"enabled": True}, ttlSecondsAfterEmpty=30) == [
        f"ttlSecondsAfterEmpty: {BOTH} `disruption: {{{EMPTY}}}` to take empty nodes only, or "
        f"`disruption: {{{PACKED}}}` to pack the others together too (got 30)"
    ]
    assert told(disruption={"consolidation": {"enabled": True}, "ttlSecondsAfterEmpty": 30}) == [
        f"disruption.ttlSecondsAfterEmpty: {BOTH} `{EMPTY}` to take empty nodes only, or "
        f"`{PACKED}` to pack the others together too (got 30)"
    ]


OF_A_POOL = {
    "a time for empty nodes": (
        {"ttlSecondsAfterEmpty": 30},
        [f"ttlSecondsAfterEmpty: is of the old API: write `disruption: {{{EMPTY}}}` (got 30)"],
    ),
    "consolidation": (
        {"consolidation": {"enabled": True}},
        [f"consolidation: is of the old API: write `disruption: {{{PACKED}}}`"],
    ),
    "no consolidation": (
        {"consolidation": {"enabled": False}},
        ["consolidation: is of the old API: write `disruption: {consolidateAfter: Never}`"],
    ),
    "no consolidation but a time for empty nodes": (
        {"consolidation": {"enabled": False}, "ttlSecondsAfterEmpty": "30"},
        [
            f'ttlSecondsAfterEmpty: is of the old API: write `disruption: {{{EMPTY}}}` (got "30")',
            "consolidation: is of the old API: drop it",
        ],
    ),
    "an age": (
        {"ttlSecondsUntilExpired": 2592000},
        ["ttlSecondsUntilExpired: is expireAfter now: write `expireAfter: 720h` (got 2592000)"],
    ),
    "an age in words": (
        {"ttlSecondsUntilExpired": "long"},
        [
            "ttlSecondsUntilExpired: is expireAfter now: write for example `expireAfter: 720h` "
            '(got "long")'
        ],
    ),
    "a template": (
        {"providerRef": {"name": "spot-nodes"}},
        ["providerRef: is nodeClass now: write `nodeClass: spot-nodes`"],
    ),
    "the manifest's reference": (
        {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}},
        ["nodeClassRef: is nodeClass now: write `nodeClass: gpu`"],
    ),
    "a template inside": (
        {"provider": {"subnetSelector": {}}},
        [
            "provider: is a class of its own now: write it as nodeClasses.default, and name it "
            "here by `nodeClass: default`"
        ],
    ),
    "kubelet": (
        {"kubeletConfiguration": {"maxPods": 20}},
        ["kubeletConfiguration: belongs to the class: move it to nodeClasses.default.kubelet"],
    ),
    "resources": (
        {"limits": {"resources": {"cpu": 1000, "memory": "1000Gi"}}},
        [
            "limits.resources: limits stand beside each other: write "
            "`limits: {cpu: 1000, memory: 1000Gi}`"
        ],
    ),
    "a manifest": (
        {"template": {"spec": {}}},
        [
            "template: a pool has the keys of a manifest's spec, template.metadata and "
            "template.spec side by side: move them here, or convert the file with "
            "`./frugal-eks migrate FILE`"
        ],
    ),
    "an annotation": (
        {"annotations": {"karpenter.sh/do-not-consolidate": "true"}},
        [
            "annotations.karpenter.sh/do-not-consolidate: is called karpenter.sh/do-not-disrupt "
            'now: write `karpenter.sh/do-not-disrupt: "true"`'
        ],
    ),
    "the first name of an annotation": (
        {"annotations": {"karpenter.sh/do-not-evict": "true"}},
        [
            "annotations.karpenter.sh/do-not-evict: is called karpenter.sh/do-not-disrupt "
            'now: write `karpenter.sh/do-not-disrupt: "true"`'
        ],
    ),
    "a policy of the beta": (
        {"disruption": {"consolidationPolicy": "WhenUnderutilized"}},
        [
            "disruption.consolidationPolicy: is called WhenEmptyOrUnderutilized now: write that "
            '(got "WhenUnderutilized")'
        ],
    ),
    "an age of the beta": (
        {"disruption": {"expireAfter": "24h"}},
        [
            "disruption.expireAfter: belongs to the pool: write `expireAfter: 24h` beside "
            'disruption (got "24h")'
        ],
    ),
    "an old age in the new place": (
        {"disruption": {"ttlSecondsUntilExpired": 90}},
        [
            "disruption.ttlSecondsUntilExpired: belongs to the pool: write `expireAfter: 90s` "
            "beside disruption (got 90)"
        ],
    ),
}


@pytest.mark.parametrize(("settings", "said"), OF_A_POOL.values(), ids=OF_A_POOL)
def test_an_old_key_is_refused_with_what_to_write(settings, said):
    assert told(**settings) == said


def test_all_of_an_old_provisioner_is_told_at_once():
    provisioner = {
        "ttlSecondsUntilExpired": 2592000,
        "providerRef": {"name": "default"},
        "limits": {"resources": {"cpu": 1000}},
        "kubeletConfiguration": {},
        "disruption": {"ttlSecondsAfterEmpty": 30},
    }

    assert {line.partition(": ")[0] for line in told(**provisioner)} == {
        "disruption.ttlSecondsAfterEmpty",
        "ttlSecondsUntilExpired",
        "providerRef",
        "kubeletConfiguration",
        "limits.resources",
    }


@pytest.mark.feature("A1-01", "A1-10", "A1-11")
def test_what_a_message_says_to_write_is_taken():
    found = spec(
        nodeClass="default",
        expireAfter="720h",
        disruption={"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"},
        limits={"cpu": 1000, "memory": "1000Gi"},
    )

    assert found["template"]["spec"]["nodeClassRef"] == {
        "group": "karpenter.k8s.aws",
        "kind": "EC2NodeClass",
        "name": "default",
    }
    assert found["template"]["spec"]["expireAfter"] == "720h"
    assert found["disruption"]["consolidateAfter"] == "30s"


def test_a_pool_in_python_is_not_taken_for_an_old_one():
    pool = config(disruption={"consolidateAfter": "5m"})

    assert type(pool).model_validate(pool) is pool
    assert type(pool)(node_class="default", disruption=pool.disruption) == pool
