import pulumi
import pytest

from components.cluster.fargate_config import FargateConfig, SelectorConfig
from components.cluster.fargate_limits import problems, refuse_what_fargate_cannot_run
from components.kubernetes.kubernetes_object import KubernetesObject

CONFIG = FargateConfig(
    profiles={"batch": (SelectorConfig(namespace="batch", labels={"on": "fargate"}),)}
)
POD = {"metadata": {"labels": {"on": "fargate"}}, "spec": {"containers": [{"name": "main"}]}}
METADATA = {"name": "it", "namespace": "batch"}


def workload(pod_spec=None, *, labels=None):
    pod = {
        "metadata": {"labels": POD["metadata"]["labels"] if labels is None else labels},
        "spec": POD["spec"] | (pod_spec or {}),
    }
    return {"metadata": METADATA, "spec": {"template": pod}}


def container(**settings):
    return {"containers": [{"name": "main"} | settings]}


@pytest.mark.feature("A2-03")
@pytest.mark.parametrize(
    ("pod_spec", "reason"),
    [
        ({"hostNetwork": True}, "host network: drop hostNetwork"),
        ({"volumes": [{"name": "v", "hostPath": {}}]}, None),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, "host path: drop the volume v"),
        (
            container(securityContext={"privileged": True}),
            "privileged container: drop privileged from main",
        ),
        (container(ports=[{"hostPort": 80}]), "host port: drop hostPort from main"),
        (
            {"initContainers": [{"name": "i", "ports": [{"hostPort": 1}]}]},
            "host port: drop hostPort from i",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job", "Pod", "CronJob"])
def test_what_a_pod_on_fargate_cannot_have_is_told_with_what_to_drop(kind, pod_spec, reason):
    manifest = workload(pod_spec)
    if kind == "Pod":
        manifest = manifest["spec"]["template"]
        manifest = manifest | {"metadata": manifest["metadata"] | METADATA}
    if kind == "CronJob":
        manifest = {"metadata": METADATA, "spec": {"jobTemplate": {"spec": manifest["spec"]}}}

    told = list(problems(CONFIG, kind, manifest))

    expected = f"fargate.profiles.batch selects its pods, and Fargate has no {reason}"
    assert told == ([expected] if reason else [])


@pytest.mark.feature("A2-03")
def test_a_daemon_set_is_refused_where_a_profile_selects_its_pods_and_only_there():
    selected = list(problems(CONFIG, "DaemonSet", workload()))
    elsewhere = list(problems(CONFIG, "DaemonSet", workload(labels={})))

    assert selected == [
        "fargate.profiles.batch selects it, and Fargate has no node for a DaemonSet"
    ]
    assert elsewhere == []


@pytest.mark.feature("A2-03")
def test_an_object_without_a_namespace_is_one_of_the_namespace_default():
    config = FargateConfig(profiles={"rest": (SelectorConfig(namespace="default"),)})

    assert list(problems(config, "DaemonSet", workload() | {"metadata": {"name": "it"}})) == [
        "fargate.profiles.rest selects it, and Fargate has no node for a DaemonSet"
    ]


def service(**spec):
    plain = {"type": "LoadBalancer", "selector": {"on": "fargate"}}
    return {"metadata": METADATA, "spec": plain | spec}


@pytest.mark.feature("A2-04")
def test_a_service_that_would_be_a_classic_load_balancer_is_refused():
    assert list(problems(CONFIG, "Service", service())) == [
        "fargate.profiles.batch runs its pods, and a Classic Load Balancer cannot reach Fargate: "
        "set loadBalancerClass: service.k8s.aws/nlb"
    ]


@pytest.mark.feature("A2-04")
@pytest.mark.parametrize(
    "allowed",
    [
        service(loadBalancerClass="service.k8s.aws/nlb"),
        service(type="ClusterIP"),
        service(selector={"on": "nodes"}),
        service()
        | {
            "metadata": METADATA
            | {"annotations": {"service.beta.kubernetes.io/aws-load-balancer-type": "external"}}
        },
    ],
)
def test_a_service_that_reaches_its_pods_is_allowed(allowed):
    assert list(problems(CONFIG, "Service", allowed)) == []


@pytest.mark.feature("A2-03")
@pytest.mark.parametrize("preview", [True, False])
def test_the_program_fails_before_such_an_object_is_declared(deploy, preview):
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment"} | workload({"hostNetwork": True})
    refuse = refuse_what_fargate_cannot_run(CONFIG)

    def program():
        parent = pulumi.ComponentResource(
            "frugal-eks:test:Parent",
            "parent",
            opts=pulumi.ResourceOptions(transformations=[refuse]),
        )
        KubernetesObject("it", manifest, opts=pulumi.ResourceOptions(parent=parent))

    with pytest.raises(
        pulumi.RunError, match=r"Deployment it: .* no host network: drop hostNetwork"
    ):
        deploy(program, preview=preview)
