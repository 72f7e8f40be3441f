import pytest

import stack_config
from components import compatibility, versions


@pytest.mark.feature("A2-17")
@pytest.mark.parametrize("version", ["1.17", "1.24", "1.32", "1.37", ""])
def test_a_kubernetes_version_that_is_not_offered_is_told_with_those_that_are(version):
    problem = "is not offered: choose one of 1.33, 1.34, 1.35, 1.36"

    assert compatibility.kubernetes_problem(version, "EXTENDED") == problem


@pytest.mark.feature("B-06")
def test_extended_support_is_paid_for_only_where_the_stack_file_says_so():
    assert compatibility.kubernetes_problem("1.33", "EXTENDED") is None
    assert compatibility.kubernetes_problem("1.33", "STANDARD") == (
        "is in extended support since 2026-07-29: choose one of 1.34, 1.35, 1.36, "
        "or set supportType: EXTENDED for 0.60 USD an hour"
    )


@pytest.mark.parametrize("version", ["1.34", "1.35", "1.36"])
def test_a_version_in_standard_support_is_fine_in_both(version):
    assert compatibility.kubernetes_problem(version, "STANDARD") is None
    assert compatibility.kubernetes_problem(version, "EXTENDED") is None


def test_every_kubernetes_version_that_can_be_chosen_runs_the_pinned_karpenter():
    assert compatibility.KUBERNETES
    for version in compatibility.KUBERNETES:
        assert compatibility.karpenter_problem(versions.KARPENTER, version) is None


def test_a_patch_release_of_the_same_minor_is_of_the_same_set():
    assert compatibility.karpenter_problem("1.14.0", "1.35") is None


@pytest.mark.parametrize("version", ["0.27.5", "1.13.9", "1.15.0"])
def test_a_karpenter_whose_rights_this_release_does_not_have_is_refused(version):
    assert compatibility.karpenter_problem(version, "1.35") == (
        "its rights, CRDs and event rules are not part of this release, which has those of 1.14: "
        f"drop the key for {versions.KARPENTER}"
    )


@pytest.mark.parametrize("kubernetes", ["1.29", "1.37"])
def test_a_karpenter_that_does_not_support_the_cluster_s_kubernetes_is_refused(kubernetes):
    assert compatibility.karpenter_problem("1.14.1", kubernetes) == (
        f"does not support Kubernetes {kubernetes} of cluster.version: it supports 1.30 to 1.36"
    )


def test_a_bad_pair_is_refused_with_its_path_before_anything_is_declared(stack_file):
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
    shipped["karpenter"]["version"] = "0.27.5"

    told = stack_config.parsed(shipped)
    assert [(mistake.path, mistake.value) for mistake in told] == [("karpenter.version", "0.27.5")]


@pytest.mark.feature("C-20")
@pytest.mark.parametrize(
    ("karpenter", "stage", "kept_by"),
    [
        (None, None, "pausePods"),
        ("1.12.0", None, "pausePods"),
        ("1.14.1", "alpha", "pausePods"),
        ("1.20.0", "beta", "capacityBuffer"),
        ("1.21.0", "stable", "capacityBuffer"),
    ],
)
def test_room_is_kept_by_what_the_version_of_karpenter_offers(
    monkeypatch, karpenter, stage, kept_by
):
    if karpenter:
        minor = karpenter.rpartition(".")[0]
        monkeypatch.setitem(compatibility.CAPACITY_BUFFERS, minor, stage)

    assert compatibility.headroom(karpenter) == kept_by
