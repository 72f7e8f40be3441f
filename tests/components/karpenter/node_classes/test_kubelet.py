import pytest

from tests.components.karpenter.node_classes.node_class import spec, told

SIGNALS = {
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
}


@pytest.mark.parametrize(
    ("settings", "place", "problem"),
    [
        # The API server answers this with an error of the rule itself.
        (
            {"evictionSoft": {"memory.available": "8%"}},
            "evictionSoft.memory.available",
            "needs a time: add evictionSoftGracePeriod.memory.available",
        ),
        (
            {"evictionSoftGracePeriod": {"pid.available": "90s"}},
            "evictionSoftGracePeriod.pid.available",
            "goes with a threshold: add evictionSoft.pid.available, or drop it",
        ),
        (
            {"imageGCHighThresholdPercent": 50, "imageGCLowThresholdPercent": 50},
            "imageGCLowThresholdPercent",
            "low 50 must be less than high 50: set both",
        ),
        # Kubelet's own low is 80, which the API server does not know.
        (
            {"imageGCHighThresholdPercent": 80},
            "imageGCHighThresholdPercent",
            "low 80 must be less than high 80: set both",
        ),
        (
            {"clusterDNS": ["172.20.0.10", "172.20.0"]},
            "clusterDNS[1]",
            "is no IP address: write one, for example 172.20.0.10",
        ),
    ],
)
def test_what_kubelet_would_not_start_with_is_told_with_what_to_do(settings, place, problem):
    assert told(kubelet=settings) == {f"kubelet.{place}": problem}


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"maxPods": 0}, "maxPods"),
        ({"podsPerCore": -1}, "podsPerCore"),
        ({"evictionMaxPodGracePeriod": -1}, "evictionMaxPodGracePeriod"),
        ({"imageGCHighThresholdPercent": 101}, "imageGCHighThresholdPercent"),
        ({"evictionHard": {"memory": "5%"}}, "evictionHard.memory.[key]"),
        ({"evictionHard": {"pid.available": "100%"}}, "evictionHard.pid.available"),
        ({"evictionHard": {"pid.available": "5.125%"}}, "evictionHard.pid.available"),
        ({"evictionHard": {"pid.available": "-1Gi"}}, "evictionHard.pid.available"),
        ({"evictionHard": {"pid.available": ""}}, "evictionHard.pid.available"),
        ({"kubeReserved": {"gpu": "1"}}, "kubeReserved.gpu.[key]"),
        ({"kubeReserved": {"cpu": "-1"}}, "kubeReserved.cpu"),
        ({"systemReserved": {"cpu": "1GB"}}, "systemReserved.cpu"),
        ({"clusterDNS": ["10.0.0.1"] * 4}, "clusterDNS"),
        ({"shutdownGracePeriod": "1m"}, "shutdownGracePeriod"),
    ],
)
def test_settings_beyond_the_edge_are_refused(settings, place):
    assert [*told(kubelet=settings)] == [f"kubelet.{place}"]


@pytest.mark.parametrize(
    "settings",
    [
        {"maxPods": 1, "podsPerCore": 0},
        {"imageGCHighThresholdPercent": 81},
        {"imageGCLowThresholdPercent": 0},
        {"evictionHard": dict.fromkeys(SIGNALS, "99.99%")},
        {
            "evictionSoft": dict.fromkeys(SIGNALS, "200Mi"),
            "evictionSoftGracePeriod": dict.fromkeys(SIGNALS, "1h2m3s"),
        },
        {"systemReserved": {"cpu": "1.5", "memory": "1Gi", "ephemeral-storage": "1G", "pid": "1k"}},
        {"cpuCFSQuota": False},
        {"evictionMaxPodGracePeriod": 0},
    ],
)
def test_settings_at_the_edge_are_sent_as_they_are(settings):
    assert spec(kubelet=settings)["kubelet"] == settings


def test_nothing_is_sent_where_nothing_is_set():
    assert "kubelet" not in spec(kubelet={"kubeReserved": {}})


def test_amounts_are_sent_as_text_since_numbers_come_back_as_text():
    assert spec(kubelet={"kubeReserved": {"pid": 100}})["kubelet"] == {
        "kubeReserved": {"pid": "100"}
    }
