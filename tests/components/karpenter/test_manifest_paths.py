import pytest

from components.karpenter.disruption import DisruptionWindowConfig
from components.karpenter.manifest_paths import class_path, pool_path
from components.karpenter.node_pools import node_pool_spec
from tests.components.karpenter.node_classes import node_class
from tests.components.karpenter.node_pools import node_pool

POOL = node_pool.config(
    capacityTypes=["spot"],
    minGeneration=5,
    requirements=[{"key": "karpenter.k8s.aws/instance-size", "operator": "Exists"}],
    taints=[{"key": "a", "effect": "NoSchedule"}],
)
WINDOW = DisruptionWindowConfig(schedule="@daily", duration="8h")
SHORT = node_class.config()
LONG = node_class.config(
    amiSelectorTerms=[{"alias": node_class.AMI}],
    blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi"}}],
)
TEMPLATE = ("spec", "template", "spec")


def index_of(key):
    """The place of a requirement in the manifest."""
    keys = [each["key"] for each in node_pool_spec(POOL)["template"]["spec"]["requirements"]]
    return keys.index(key)


@pytest.mark.feature("C-10")
@pytest.mark.parametrize(
    ("parts", "path"),
    [
        (("metadata", "name"), "nodePools.apps"),
        (("spec",), "nodePools.apps"),
        (("spec", "weight"), "nodePools.apps.weight"),
        (("spec", "limits", "cpu"), "nodePools.apps.limits.cpu"),
        (("spec", "disruption", "consolidateAfter"), "nodePools.apps.disruption.consolidateAfter"),
        (
            ("spec", "disruption", "budgets", 0, "nodes"),
            "nodePools.apps.disruption.budgets[0].nodes",
        ),
        (("spec", "disruption", "budgets", 1, "duration"), "disruptionWindow.duration"),
        (("spec", "disruption", "budgets"), "nodePools.apps.disruption.budgets"),
        ((*TEMPLATE, "taints", 0, "effect"), "nodePools.apps.taints[0].effect"),
        ((*TEMPLATE, "expireAfter"), "nodePools.apps.expireAfter"),
        ((*TEMPLATE, "nodeClassRef", "name"), "nodePools.apps.nodeClass"),
        ((*TEMPLATE, "requirements"), "nodePools.apps.requirements"),
        (TEMPLATE, "nodePools.apps"),
        (("spec", "template", "metadata", "labels", "intent"), "nodePools.apps.labels.intent"),
        (("spec", "template", "metadata", "annotations"), "nodePools.apps.annotations"),
        (("spec", "template"), "nodePools.apps"),
    ],
)
def test_a_place_in_a_node_pool_is_told_as_the_stack_file_has_it(parts, path):
    assert pool_path("apps", POOL, parts) == path


@pytest.mark.feature("C-10")
@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("karpenter.sh/capacity-type", "capacityTypes"),
        ("karpenter.k8s.aws/instance-generation", "minGeneration"),
        ("kubernetes.io/os", "requirements"),
        ("karpenter.k8s.aws/instance-size", "requirements[0].values[1]"),
    ],
)
def test_a_requirement_is_told_by_its_short_form_or_its_own_number(key, path):
    parts = (*TEMPLATE, "requirements", index_of(key), "values", 1)

    assert pool_path("apps", POOL, parts) == f"nodePools.apps.{path}"


def test_the_window_is_the_budget_after_the_pools_own():
    budgets = node_pool_spec(POOL, WINDOW)["disruption"]["budgets"]

    assert [budget.get("schedule") for budget in budgets] == [None, "@daily"]


@pytest.mark.feature("C-10")
@pytest.mark.parametrize(
    ("config", "parts", "path"),
    [
        (SHORT, ("metadata", "name"), "nodeClasses.web"),
        (SHORT, ("spec",), "nodeClasses.web"),
        (SHORT, ("spec", "amiSelectorTerms", 0, "alias"), "nodeClasses.web.amiAlias"),
        (
            LONG,
            ("spec", "amiSelectorTerms", 0, "alias"),
            "nodeClasses.web.amiSelectorTerms[0].alias",
        ),
        (
            SHORT,
            ("spec", "blockDeviceMappings", 0, "ebs", "volumeSize"),
            "nodeClasses.web.volume.size",
        ),
        (SHORT, ("spec", "blockDeviceMappings", 0, "ebs", "iops"), "nodeClasses.web.volume.iops"),
        (SHORT, ("spec", "blockDeviceMappings"), "nodeClasses.web.volume"),
        (
            LONG,
            ("spec", "blockDeviceMappings", 0, "ebs", "volumeSize"),
            "nodeClasses.web.blockDeviceMappings[0].ebs.volumeSize",
        ),
        (SHORT, ("spec", "kubelet", "maxPods"), "nodeClasses.web.kubelet.maxPods"),
        (SHORT, ("spec", "tags", "a/b"), "nodeClasses.web.tags.a/b"),
    ],
)
def test_a_place_in_a_node_class_is_told_as_the_stack_file_has_it(config, parts, path):
    assert class_path("web", config, parts) == path
