import email
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from components.kubernetes.kubelet import KubeletConfig
from components.nodes.nodes import NodeTaintConfig
from components.nodes.user_data import NodeStart, kubelet_user_data, node_user_data

GOLDEN = Path(__file__).parents[2] / "data" / "user-data"
USER_DATA_LIMIT = 16_384
CLUSTER = {
    "cluster": "spot",
    "endpoint": "https://example.eks.amazonaws.com",
    "certificate_authority": "Q0E=",
    "service_cidr": "172.20.0.0/16",
}
# Of each kind of value one, and each group of settings.
KUBELET = {
    "maxPods": 58,
    "kubeReserved": {"cpu": "100m", "memory": "500Mi", "ephemeral-storage": "1Gi"},
    "systemReserved": {"memory": "200Mi"},
    "evictionHard": {"memory.available": "5%", "nodefs.inodesFree": "5%"},
    "evictionSoft": {"memory.available": "8%"},
    "evictionSoftGracePeriod": {"memory.available": "1m30s"},
    "shutdownGracePeriod": "90s",
    "shutdownGracePeriodCriticalPods": "15s",
    "imageGCHighThresholdPercent": 75,
    "imageGCLowThresholdPercent": 60,
    "containerLogMaxSize": "20Mi",
    "containerLogMaxFiles": 3,
    "podPidsLimit": 1024,
}
SPOT = NodeTaintConfig(key="spotInstance", value="true", effect="PreferNoSchedule")
ALONE = NodeTaintConfig(key="example.com/alone", effect="NoSchedule")
TAINTS = (SPOT, ALONE, NodeTaintConfig(key="spotInstance", value="true", effect="NoExecute"))
LABELS = {"lifecycle": "Ec2Spot", "example.com/team": "a-b_c.d", "empty": ""}


def start(**changes):
    """A node without anything of its own, but for these."""
    bare = {"labels": {}, "taints": (), "kubelet": KubeletConfig()}
    return NodeStart(**(CLUSTER | bare | changes))


def node_config(text):
    """The one NodeConfig of a MIME document, as nodeadm reads it."""
    message = email.message_from_string(text)
    assert message.get_content_type() == "multipart/mixed"
    (part,) = message.get_payload()
    assert part.get_content_type() == "application/node.eks.aws"
    document = yaml.safe_load(part.get_payload())
    assert (document["apiVersion"], document["kind"]) == ("node.eks.aws/v1alpha1", "NodeConfig")
    return document["spec"]


def flags(text):
    """Kubelet's flags by their names; labels and taints as kubelet takes them apart."""
    given = node_config(text).get("kubelet", {}).get("flags", [])
    return dict(flag.removeprefix("--").split("=", 1) for flag in given)


def settings(text):
    """`settings.kubernetes` of Bottlerocket."""
    return tomllib.loads(text)["settings"]["kubernetes"]


FULL = start(labels=LABELS, taints=TAINTS, kubelet=KubeletConfig.model_validate(KUBELET))
FILES = {
    "al2023.txt": lambda: node_user_data("al2023", FULL),
    "al2023-bare.txt": lambda: node_user_data("al2023", start()),
    "al2023-managed.txt": lambda: kubelet_user_data("al2023", FULL.kubelet),
    "bottlerocket.txt": lambda: node_user_data("bottlerocket", FULL),
    "bottlerocket-bare.txt": lambda: node_user_data("bottlerocket", start()),
    "bottlerocket-managed.txt": lambda: kubelet_user_data("bottlerocket", FULL.kubelet),
}


@pytest.mark.parametrize("name", FILES)
def test_user_data_is_what_the_golden_file_says(name):
    assert FILES[name]() == (GOLDEN / name).read_text()


def test_every_golden_file_is_compared():
    assert {path.name for path in GOLDEN.iterdir()} == set(FILES)


@pytest.mark.feature("B-30")
def test_an_al2023_node_is_told_all_four_facts_of_the_cluster_and_its_kubelet_s_settings():
    spec = node_config(node_user_data("al2023", FULL))

    assert spec == {
        "cluster": {
            "name": "spot",
            "apiServerEndpoint": "https://example.eks.amazonaws.com",
            "certificateAuthority": "Q0E=",
            "cidr": "172.20.0.0/16",
        },
        "kubelet": {
            "config": KUBELET,
            "flags": [
                "--node-labels=empty=,example.com/team=a-b_c.d,lifecycle=Ec2Spot",
                "--register-with-taints=example.com/alone=:NoSchedule,"
                "spotInstance=true:NoExecute,spotInstance=true:PreferNoSchedule",
            ],
        },
    }


@pytest.mark.feature("B-30")
def test_a_bottlerocket_node_is_told_the_same_in_its_own_words():
    assert settings(node_user_data("bottlerocket", FULL)) == {
        "cluster-name": "spot",
        "api-server": "https://example.eks.amazonaws.com",
        "cluster-certificate": "Q0E=",
        "cluster-dns-ip": "172.20.0.10",
        "max-pods": 58,
        "kube-reserved": {"cpu": "100m", "memory": "500Mi", "ephemeral-storage": "1Gi"},
        "system-reserved": {"memory": "200Mi"},
        "eviction-hard": {"memory.available": "5%", "nodefs.inodesFree": "5%"},
        "eviction-soft": {"memory.available": "8%"},
        "eviction-soft-grace-period": {"memory.available": "1m30s"},
        "shutdown-grace-period": "90s",
        "shutdown-grace-period-for-critical-pods": "15s",
        "image-gc-high-threshold-percent": 75,
        "image-gc-low-threshold-percent": 60,
        "container-log-max-size": "20Mi",
        "container-log-max-files": 3,
        "pod-pids-limit": 1024,
        "node-labels": LABELS,
        "node-taints": {
            "example.com/alone": [":NoSchedule"],
            "spotInstance": ["true:NoExecute", "true:PreferNoSchedule"],
        },
    }


@pytest.mark.parametrize(
    ("service_cidr", "address"),
    [("10.100.0.0/16", "10.100.0.10"), ("192.168.255.0/24", "192.168.255.10")],
)
def test_bottlerocket_finds_dns_at_the_tenth_address_of_the_service_network(service_cidr, address):
    text = node_user_data("bottlerocket", start(service_cidr=service_cidr))

    assert settings(text)["cluster-dns-ip"] == address


def test_what_is_not_set_is_not_told():
    assert set(node_config(node_user_data("al2023", start()))) == {"cluster"}
    bare = settings(node_user_data("bottlerocket", start()))
    assert set(bare) == {"cluster-name", "api-server", "cluster-certificate", "cluster-dns-ip"}


@pytest.mark.feature("B-30")
def test_eks_is_given_the_kubelet_s_settings_of_a_managed_group_and_nothing_that_is_its_own():
    assert node_config(kubelet_user_data("al2023", FULL.kubelet)) == {
        "kubelet": {"config": KUBELET}
    }
    own = settings(kubelet_user_data("bottlerocket", FULL.kubelet))
    assert own.keys() == settings(node_user_data("bottlerocket", FULL)).keys() - {
        "cluster-name",
        "api-server",
        "cluster-certificate",
        "cluster-dns-ip",
        "node-labels",
        "node-taints",
    }


@pytest.mark.parametrize("family", ["al2023", "bottlerocket"])
def test_without_settings_a_managed_group_has_no_user_data_of_ours(family):
    assert kubelet_user_data(family, KubeletConfig()) is None


def test_toml_is_of_the_kind_that_eks_can_merge():
    # EKS user guide, launch templates: no quoted keys in headers, no escaped quotes in values.
    headers = [
        line
        for line in kubelet_user_data("bottlerocket", FULL.kubelet).splitlines()
        if line.startswith("[")
    ]

    assert headers == [
        "[settings.kubernetes]",
        "[settings.kubernetes.kube-reserved]",
        "[settings.kubernetes.system-reserved]",
        "[settings.kubernetes.eviction-hard]",
        "[settings.kubernetes.eviction-soft]",
        "[settings.kubernetes.eviction-soft-grace-period]",
    ]


@pytest.mark.parametrize("family", ["al2023", "bottlerocket"])
def test_another_order_in_the_file_is_no_other_node(family):
    turned = start(labels=dict(reversed(LABELS.items())), taints=TAINTS[::-1], kubelet=FULL.kubelet)

    assert node_user_data(family, turned) == node_user_data(family, FULL)


@pytest.mark.parametrize("family", ["al2023", "bottlerocket"])
def test_it_fits_into_what_ec2_takes_with_a_real_certificate_and_to_spare(family):
    full = start(
        certificate_authority="Q0E=" * 400,
        labels={f"example.com/label-{n}": "x" * 63 for n in range(20)},
        taints=TAINTS,
        kubelet=FULL.kubelet,
    )

    assert len(node_user_data(family, full).encode()) < USER_DATA_LIMIT / 2


@pytest.mark.parametrize(
    "odd", ['a"b', "a\\b", "--frugal-eks", "a: b # c", "é😀\x7f\t", "a\nb", "1e3"]
)
def test_special_characters_come_through(odd):
    strange = start(cluster=odd, endpoint=odd)

    cluster = node_config(node_user_data("al2023", strange))["cluster"]
    assert (cluster["name"], cluster["apiServerEndpoint"]) == (odd, odd)
    own = settings(node_user_data("bottlerocket", strange))
    assert (own["cluster-name"], own["api-server"]) == (odd, odd)


NAMES = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,12}[A-Za-z0-9])?", fullmatch=True)
# What YAML and TOML would take for something else than text.
TRAPS = st.sampled_from(["", "true", "no", "null", "1", "1e3", "0x1f", "2026-11-21", "1.0", "inf"])
KEYS = st.builds(
    lambda prefix, name: f"{prefix}/{name}" if prefix else name,
    st.from_regex(r"([a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?)?", fullmatch=True),
    NAMES,
)
TAINT = st.builds(
    NodeTaintConfig,
    key=KEYS,
    value=st.none() | NAMES | TRAPS,
    effect=st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
)


@given(
    labels=st.dictionaries(KEYS, NAMES | TRAPS, max_size=6),
    taints=st.lists(TAINT, max_size=4, unique_by=lambda taint: (taint.key, taint.effect)),
)
def test_labels_and_taints_survive_the_way_into_a_node(labels, taints):
    node = start(labels=labels, taints=taints)

    told = flags(node_user_data("al2023", node))
    pairs = told.get("node-labels", "").split(",") if labels else []
    assert dict(pair.split("=", 1) for pair in pairs) == labels
    expected = {(taint.key, taint.value or "", taint.effect) for taint in taints}
    assert {
        (key, *rest.split(":"))
        for key, rest in (
            each.split("=", 1) for each in told.get("register-with-taints", "").split(",") if each
        )
    } == expected

    own = settings(node_user_data("bottlerocket", node))
    assert own.get("node-labels", {}) == labels
    assert {
        (key, *each.split(":"))
        for key, those in own.get("node-taints", {}).items()
        for each in those
    } == expected
