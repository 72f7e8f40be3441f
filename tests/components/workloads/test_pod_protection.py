import pytest

from components.workloads.pod_protection import do_not_disrupt, pod_disruption_budget


@pytest.mark.feature("A1-27")
@pytest.mark.parametrize("most", [1, 0, "25%"])
def test_a_budget_bounds_how_many_pods_a_drain_may_take_at_once(most):
    budget = pod_disruption_budget(
        "web", namespace="shop", match_labels={"app": "web"}, max_unavailable=most
    )

    assert budget == {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"maxUnavailable": most, "selector": {"matchLabels": {"app": "web"}}},
    }


def test_a_budget_for_every_pod_of_a_namespace_is_refused():
    with pytest.raises(ValueError, match="selects every pod of shop: give match_labels"):
        pod_disruption_budget("web", namespace="shop", match_labels={})


@pytest.mark.feature("A1-28")
def test_a_pod_is_held_by_the_present_name_of_the_annotation():
    metadata = {"labels": {"app": "web"}, "annotations": {"team": "shop"}}

    assert do_not_disrupt(metadata) == {
        "labels": {"app": "web"},
        "annotations": {"team": "shop", "karpenter.sh/do-not-disrupt": "true"},
    }
    assert metadata["annotations"] == {"team": "shop"}


def test_a_pod_is_held_for_a_while_only():
    assert do_not_disrupt({}, after_start="4h") == {
        "annotations": {"karpenter.sh/do-not-disrupt": "4h"}
    }
