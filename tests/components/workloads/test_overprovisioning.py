import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components import versions
from components.karpenter.crd_rules import violations
from components.kubernetes.charts import ChartSource
from components.workloads.overprovisioning.config import (
    NAMESPACE,
    POD_LABELS,
    OverprovisioningConfig,
    TolerationConfig,
)
from components.workloads.overprovisioning.overprovisioning import (
    Overprovisioning,
    OverprovisioningArgs,
)

DEPLOYMENT = "kubernetes:apps/v1:Deployment"
BUFFER = "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer"
TEMPLATE = "kubernetes:core/v1:PodTemplate"
NAMESPACES = "kubernetes:core/v1:Namespace"
PRIORITY = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
DIGEST = "sha256:278fb9dbcca9518083ad1e11276933a2e96f23de604a3a08cc3c80002767d24c"


def overprovisioning(config=None, **args):
    """A program with pause pods, and a queue that stands for what gives them nodes."""
    given = {
        "config": OverprovisioningConfig(**(config or {})),
        "charts": ChartSource(),
        "needs": [aws.sqs.Queue("nodes")],
    }
    return Overprovisioning("room", OverprovisioningArgs(**(given | args)))


def as_shipped():
    overprovisioning()


def with_everything():
    config = {
        "replicas": 5,
        "cpu": 2,
        "memory": "4Gi",
        "node_selector": {"intent": "apps"},
        "tolerations": [
            {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"},
            {"key": "gpu", "operator": "Exists"},
        ],
        "default_priority_class": True,
    }
    overprovisioning(config, charts=ChartSource(images="example.com/images"))


def pod(built):
    return built.one(DEPLOYMENT).inputs["spec"]["template"]["spec"]


@pytest.mark.feature("A2-57")
def test_pause_pods_are_below_all_others_and_push_nobody_aside(once):
    assert once(as_shipped).one(PRIORITY).inputs == {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "pause-pods"},
        "value": -1,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Pods that keep room free: every other pod may take their place.",
    }


@pytest.mark.feature("A2-56")
def test_the_class_of_all_other_pods_is_made_on_request(once):
    assert once(with_everything).named(PRIORITY, "room-default").inputs == {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "default"},
        "value": 0,
        "globalDefault": True,
        "description": "Pods that name no priority class.",
    }


@pytest.mark.feature("A2-56", "A2-57")
def test_a_class_whose_value_changes_is_replaced_under_its_own_name(once):
    made = once(with_everything).every(PRIORITY)

    assert [each.request.deleteBeforeReplace for each in made] == [True, True]


@pytest.mark.feature("A2-59")
def test_two_pods_of_one_cpu_are_held_by_a_deployment_in_their_own_namespace(once):
    made = once(as_shipped).one(DEPLOYMENT).inputs

    assert made["metadata"]["name"] == "pause-pods"
    assert made["metadata"]["namespace"] == NAMESPACE == "pause"
    spec = made["spec"]
    assert spec["replicas"] == 1 + 1
    labels = {"run": "pause-pods"}
    assert spec["selector"] == {"matchLabels": labels}
    assert spec["template"]["metadata"] == {"labels": labels}
    assert labels == POD_LABELS
    assert spec["template"]["spec"]["priorityClassName"] == "pause-pods"


@pytest.mark.feature("A2-59")
def test_each_reserves_what_it_asks_for_and_runs_an_image_that_cannot_change(once):
    (container,) = pod(once(as_shipped))["containers"]

    size = {"cpu": "1", "memory": "1536Mi"}
    assert container["name"] == "reserve-resources"
    assert container["image"] == f"registry.k8s.io/pause:3.10.1@{DIGEST}"
    assert (versions.PAUSE_PODS, versions.PAUSE_PODS_DIGEST) == ("3.10.1", DIGEST)
    assert container["resources"] == {"requests": size, "limits": size}


def test_they_make_room_at_once(once):
    made = once(as_shipped).one(DEPLOYMENT).inputs

    assert made["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 1
    # A pending one is no reason to wait: it has made room, and its node is on its way.
    assert made["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}


def test_they_may_do_nothing_at_all(once):
    built = once(as_shipped)
    spec = pod(built)
    (container,) = spec["containers"]

    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    assert built.one(NAMESPACES).inputs["metadata"] == {"name": "pause", "labels": labels}
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65535,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False


def test_pods_are_not_spread_for_karpenter_would_launch_a_node_for_each(once):
    """It takes ScheduleAnyway for a must: two pods of one cpu had two nodes of four."""
    assert "topologySpreadConstraints" not in pod(once(as_shipped))


@pytest.mark.feature("A2-64")
def test_number_and_size_are_settings(once):
    built = once(with_everything)
    (container,) = pod(built)["containers"]

    size = {"cpu": "2", "memory": "4Gi"}
    assert built.one(DEPLOYMENT).inputs["spec"]["replicas"] == 2 + 3
    assert container["resources"] == {"requests": size, "limits": size}


@pytest.mark.feature("A2-64")
def test_there_are_no_fewer_than_no_pods():
    with pytest.raises(ValidationError):
        OverprovisioningConfig(replicas=-1)


def test_they_go_where_the_pods_go_for_which_they_keep_room(once):
    assert not {"nodeSelector", "tolerations"} & {*pod(once(as_shipped))}
    spec = pod(once(with_everything))
    assert spec["nodeSelector"] == {"intent": "apps"}
    assert spec["tolerations"] == [
        {
            "key": "spotInstance",
            "operator": "Equal",
            "value": "true",
            "effect": "PreferNoSchedule",
        },
        {"key": "gpu", "operator": "Exists"},
    ]


def test_a_toleration_of_any_value_names_none():
    with pytest.raises(ValidationError) as refused:
        TolerationConfig(key="gpu", operator="Exists", value="true")

    (error,) = refused.value.errors()
    assert error["ctx"]["mistakes"] == [
        ("value", "operator Exists takes any value: drop it, or choose Equal", "true")
    ]


def test_the_image_can_come_from_a_mirror(once):
    (container,) = pod(once(with_everything))["containers"]

    assert container["image"] == f"example.com/images/pause:3.10.1@{DIGEST}"


@pytest.mark.feature("A2-60")
def test_namespace_and_class_are_there_before_the_pods_and_go_after_them(once):
    built = once(as_shipped)

    needed = [built.one(NAMESPACES), built.one(PRIORITY)]
    assert [built.waits_for(built.one(DEPLOYMENT), each) for each in needed] == [True, True]


def test_pods_come_after_what_gives_them_nodes_and_go_before_it(once):
    built = once(as_shipped)
    nodes = built.one("aws:sqs/queue:Queue")

    assert built.waits_for(built.one(DEPLOYMENT), nodes)
    # Pods that are there already may name the classes.
    assert not built.waits_for(built.one(PRIORITY), nodes)


@pytest.mark.parametrize("program", [as_shipped, with_everything])
def test_a_preview_shows_what_an_update_makes(once, program):
    preview, update = once(program, preview=True), once(program)

    assert preview.tree() == update.tree()
    made, shown = [{each.urn: each.inputs for each in one.declared} for one in (update, preview)]
    assert shown == made


def by_buffer():
    overprovisioning({"replicas": 3, "cpu": 2}, by="capacityBuffer")


@pytest.mark.feature("C-20")
def test_a_buffer_asks_karpenter_for_room_without_pods(once):
    built = once(by_buffer)
    buffer, template = built.one(BUFFER).inputs, built.one(TEMPLATE).inputs

    assert violations("CapacityBuffer", buffer) == []
    assert buffer["metadata"]["namespace"] == template["metadata"]["namespace"] == NAMESPACE
    assert buffer["spec"] == {
        "podTemplateRef": {"name": template["metadata"]["name"]},
        "replicas": 3,
        "provisioningStrategy": "buffer.x-k8s.io/active-capacity",
    }
    (container,) = template["template"]["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": "2", "memory": "1536Mi"}
    assert built.every(DEPLOYMENT) == built.every(PRIORITY) == []


@pytest.mark.feature("C-20")
def test_a_buffer_goes_while_its_template_and_its_karpenter_are_there(once):
    built = once(by_buffer)
    buffer = built.one(BUFFER)

    assert built.waits_for(buffer, built.one(TEMPLATE))
    assert built.waits_for(built.one(TEMPLATE), built.one(NAMESPACES))
    assert built.waits_for(buffer, built.one("aws:sqs/queue:Queue"))


def test_a_preview_shows_all_of_a_buffer(once):
    assert once(by_buffer, preview=True).tree() == once(by_buffer).tree()
