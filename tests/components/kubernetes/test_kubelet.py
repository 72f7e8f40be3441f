import pytest
from pydantic import ValidationError

from components.kubernetes.kubelet import KubeletConfig


def told(**settings):
    """What is said of these settings."""
    with pytest.raises(ValidationError) as refused:
        KubeletConfig.model_validate(settings)
    (error,) = refused.value.errors()
    return error["msg"]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            {"evictionSoft": {"memory.available": "8%"}},
            "evictionSoft.memory.available: needs a time: add "
            "evictionSoftGracePeriod.memory.available",
        ),
        (
            {"evictionSoftGracePeriod": {"pid.available": "90s"}},
            "evictionSoftGracePeriod.pid.available: goes with a threshold: add "
            "evictionSoft.pid.available, or drop it",
        ),
        (
            {"shutdownGracePeriodCriticalPods": "15s"},
            "shutdownGracePeriodCriticalPods: is part of shutdownGracePeriod, which is absent: "
            "raise that",
        ),
        (
            {"shutdownGracePeriodCriticalPods": "1m30s", "shutdownGracePeriod": "89s"},
            "shutdownGracePeriodCriticalPods: is part of shutdownGracePeriod, which is 89s: "
            "raise that",
        ),
        (
            {"imageGCHighThresholdPercent": 60, "imageGCLowThresholdPercent": 60},
            "imageGCLowThresholdPercent: low 60 must be less than high 60: set both",
        ),
        # Kubelet's own are 85 and 80.
        (
            {"imageGCHighThresholdPercent": 80},
            "imageGCHighThresholdPercent: low 80 must be less than high 80: set both",
        ),
        (
            {"imageGCLowThresholdPercent": 85},
            "imageGCLowThresholdPercent: low 85 must be less than high 85: set both",
        ),
    ],
)
def test_what_kubelet_would_not_start_with_is_told_with_what_to_do(settings, problem):
    assert told(**settings) == problem


@pytest.mark.parametrize(
    "settings",
    [
        {"shutdownGracePeriodCriticalPods": "1m", "shutdownGracePeriod": "60s"},
        {"imageGCHighThresholdPercent": 81},
        {"imageGCHighThresholdPercent": 50, "imageGCLowThresholdPercent": 0},
        {"maxPods": 737},
        {"evictionHard": {"memory.available": "99.5%", "imagefs.available": "10Gi"}},
        {"shutdownGracePeriod": "1h2m3s"},
    ],
)
def test_settings_at_the_edge_are_accepted(settings):
    assert KubeletConfig.model_validate(settings).settings() == settings


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"maxPods": 0}, ("maxPods",)),
        ({"maxPods": 738}, ("maxPods",)),
        ({"evictionHard": {"memory": "5%"}}, ("evictionHard", "memory", "[key]")),
        (
            {"evictionHard": {"memory.available": "100%"}},
            ("evictionHard", "memory.available"),
        ),
        ({"kubeReserved": {"pid": "100"}}, ("kubeReserved", "pid", "[key]")),
        ({"systemReserved": {"cpu": "one"}}, ("systemReserved", "cpu")),
        # Bottlerocket reads hours before minutes.
        ({"shutdownGracePeriod": "1m2h"}, ("shutdownGracePeriod",)),
        ({"shutdownGracePeriod": "90"}, ("shutdownGracePeriod",)),
        ({"imageGcHighThresholdPercent": 90}, ("imageGcHighThresholdPercent",)),
        ({"registerWithTaints": []}, ("registerWithTaints",)),
    ],
)
def test_what_is_no_setting_of_kubelet_s_is_told_by_its_place(settings, place):
    with pytest.raises(ValidationError) as refused:
        KubeletConfig.model_validate(settings)

    assert [error["loc"] for error in refused.value.errors()] == [place]


def test_what_is_not_set_is_left_to_the_image():
    assert KubeletConfig().settings() == {}
