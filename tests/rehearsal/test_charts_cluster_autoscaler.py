"""What Cluster Autoscaler's stand-in makes of the values."""

import pytest
import yaml

from components.addons.addon_config import NAMESPACE
from tests.components.addons.programs import addon_of
from tests.rehearsal.test_charts_addons import pod

pytestmark = pytest.mark.engine
CHART = "cluster-autoscaler"


@pytest.fixture(scope="module")
def installed(render):
    """The objects that the chart makes with the component's values on Fargate."""

    def run(**config):
        return render(CHART, addon_of(CHART).values(**config), NAMESPACE)

    return run


def command(objects):
    """Program and flags."""
    return pod(objects, CHART)["spec"]["containers"][0]["command"]


@pytest.mark.feature("A3-05", "A3-08", "A3-09")
def test_its_flags(installed):
    objects = installed()

    tags = "k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/dev"
    assert command(objects) == [
        "./cluster-autoscaler",
        "--cloud-provider=aws",
        "--namespace=kube-system",
        f"--node-group-auto-discovery=asg:tag={tags}",
        "--balance-similar-node-groups=false",
        "--expander=least-waste",
        "--logtostderr=true",
        "--scale-down-delay-after-add=10m",
        "--scale-down-unneeded-time=10m",
        "--skip-nodes-with-local-storage=false",
        "--stderrthreshold=info",
        "--v=4",
    ]
    (container,) = pod(objects, CHART)["spec"]["containers"]
    assert container["image"] == "registry.k8s.io/autoscaling/cluster-autoscaler:v1.35.2"
    assert {"name": "AWS_REGION", "value": "eu-west-1"} in container["env"]


@pytest.mark.feature("A3-07")
def test_groups_by_name_take_the_place_of_the_tags(installed):
    groups = [{"name": "ng-spot", "min": 2, "max": 5}, {"name": "base", "min": 0, "max": 1}]
    ignored = {"balancing-ignore-label_1": "a", "balancing-ignore-label_2": "b"}

    flags = command(installed(groups=groups, extraArgs=ignored))

    assert [flag for flag in flags if "node" in flag and "=" in flag][:2] == [
        "--nodes=2:5:ng-spot",
        "--nodes=0:1:base",
    ]
    assert not [flag for flag in flags if "auto-discovery" in flag]
    assert {"--balancing-ignore-label=a", "--balancing-ignore-label=b"} <= set(flags)


def test_priorities_are_there_where_groups_are_chosen_by_them(installed):
    priorities = {10: [".*"], 50: [".*spot.*", "cheap"]}
    name = ("ConfigMap", "cluster-autoscaler-priority-expander")

    objects = installed(expander="priority", priorities=priorities)

    assert yaml.safe_load(objects[name]["data"]["priorities"]) == priorities
    (_, named) = objects["Role", CHART]["rules"]
    assert name[1] in named["resourceNames"]
    assert name not in installed()


def test_it_does_not_keep_its_own_node(installed):
    objects = installed()

    budget = objects["PodDisruptionBudget", CHART]["spec"]
    assert budget["maxUnavailable"] == 1


def test_as_upstream_s_it_makes_no_pods_without_groups_and_its_names_have_the_cloud(render):
    objects = render(CHART, {"image": {"tag": "v1.35.2"}})

    assert {name for _, name in objects} == {"cluster-autoscaler-aws-cluster-autoscaler"}
    assert {kind for kind, _ in objects} == {
        *("ServiceAccount", "Service", "PodDisruptionBudget"),
        *("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    }
