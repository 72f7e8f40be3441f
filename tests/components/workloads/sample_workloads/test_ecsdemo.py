import json

import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components.workloads.sample_workloads.config import (
    EcsdemoConfig,
    HorizontalPodAutoscalerConfig,
    SampleWorkloadsConfig,
)
from components.workloads.sample_workloads.sample_workloads import (
    SampleWorkloads,
    SampleWorkloadsArgs,
)
from components.workloads.spot_preference import prefer_spot

DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SERVICE = "kubernetes:core/v1:Service"
BUDGET = "kubernetes:policy/v1:PodDisruptionBudget"
AUTOSCALER = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
NAMES = ["ecsdemo-frontend", "ecsdemo-crystal", "ecsdemo-nodejs"]
HPA = "horizontalPodAutoscaler"


def samples(**settings):
    """A program with the samples, and a queue that stands for what gives them nodes."""
    args = SampleWorkloadsArgs(
        config=SampleWorkloadsConfig(**settings), needs=[aws.sqs.Queue("nodes")]
    )
    return SampleWorkloads("samples", args)


def as_shipped():
    return samples(ecsdemo={})


def everything():
    replicas = {"crystal": 2, "nodejs": 3}
    scaling = {"min": 2, "max": 6, "cpuUtilization": 70}
    return samples(ecsdemo={"replicas": replicas, HPA: scaling}, inflate={})


def pod_of(built, name):
    return built.named(DEPLOYMENT, name).inputs["spec"]["template"]["spec"]


def container_of(built, name):
    (container,) = pod_of(built, name)["containers"]
    return container


@pytest.mark.feature("A0-25", "A0-26")
def test_the_frontend_is_the_guides(once):
    frontend = once(as_shipped).named(DEPLOYMENT, "ecsdemo-frontend").inputs

    label = {"app": "ecsdemo-frontend"}
    assert frontend["metadata"] == {
        "name": "ecsdemo-frontend",
        "namespace": "default",
        "labels": label,
    }
    assert frontend["spec"]["replicas"] == 1
    assert frontend["spec"]["selector"] == {"matchLabels": label}
    assert frontend["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
    }
    assert frontend["spec"]["template"] == {
        "metadata": {"labels": label},
        "spec": prefer_spot(
            {
                "automountServiceAccountToken": False,
                "containers": [
                    {
                        "name": "ecsdemo-frontend",
                        "image": "brentley/ecsdemo-frontend:latest",
                        "imagePullPolicy": "Always",
                        "ports": [{"containerPort": 3000, "protocol": "TCP"}],
                        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
                        "readinessProbe": {"tcpSocket": {"port": 3000}},
                        "env": [
                            {
                                "name": "CRYSTAL_URL",
                                "value": "http://ecsdemo-crystal.default.svc.cluster.local/crystal",
                            },
                            {
                                "name": "NODEJS_URL",
                                "value": "http://ecsdemo-nodejs.default.svc.cluster.local/",
                            },
                        ],
                    }
                ],
            }
        ),
    }


@pytest.mark.feature("A0-27")
@pytest.mark.parametrize("name", NAMES[1:])
def test_the_two_behind_it_are_the_same_without_urls(once, name):
    frontend, other = (
        once(as_shipped).named(DEPLOYMENT, each).inputs for each in ("ecsdemo-frontend", name)
    )

    wanted = json.loads(json.dumps(frontend).replace("ecsdemo-frontend", name))
    del wanted["spec"]["template"]["spec"]["containers"][0]["env"]
    assert other == wanted


@pytest.mark.feature("A0-27")
@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_service_at_the_port_of_the_urls(once, name):
    service = once(as_shipped).named(SERVICE, name).inputs

    assert service["metadata"] == {"name": name, "namespace": "default"}
    assert service["spec"] == {
        "type": "ClusterIP",
        "selector": {"app": name},
        "ports": [{"port": 80, "targetPort": 3000, "protocol": "TCP"}],
    }


@pytest.mark.feature("A0-28", "A0-31")
def test_one_setting_makes_three_of_each_and_no_setting_nothing(once, deploy):
    made = {(d.request.type, d.request.name) for d in once(as_shipped).declared}
    without = {(d.request.type, d.request.name) for d in deploy(samples).declared}

    assert made - without == {(kind, name) for kind in (DEPLOYMENT, SERVICE) for name in NAMES}
    assert without - made == set()


@pytest.mark.feature("A0-29")
def test_without_the_preference_only_the_preference_is_gone(once, deploy):
    indifferent = deploy(lambda: samples(ecsdemo={"spotPreference": False}))

    for name in NAMES:
        pod = pod_of(indifferent, name)
        assert "affinity" not in pod
        assert "tolerations" not in pod
        assert prefer_spot(pod) == pod_of(once(as_shipped), name)
        # The same resource of the same name: it is updated.
        assert (
            indifferent.named(DEPLOYMENT, name).urn == once(as_shipped).named(DEPLOYMENT, name).urn
        )


def test_images_may_come_from_elsewhere(deploy):
    settings = {"images": "public.ecr.aws/aws-containers", "tag": "2024.1"}
    built = deploy(lambda: samples(ecsdemo=settings))

    assert container_of(built, "ecsdemo-nodejs")["image"] == (
        "public.ecr.aws/aws-containers/ecsdemo-nodejs:2024.1"
    )


def test_the_size_is_a_setting_of_all(deploy):
    built = deploy(lambda: samples(ecsdemo={"cpu": "250m", "memory": "1Gi"}))

    for name in NAMES:
        assert container_of(built, name)["resources"] == {
            "requests": {"cpu": "250m", "memory": "1Gi"}
        }


def test_a_single_pod_has_no_budget_since_that_would_stop_every_drain(once):
    assert once(as_shipped).every(BUDGET) == []
    assert "topologySpreadConstraints" not in pod_of(once(as_shipped), "ecsdemo-frontend")


def test_of_several_pods_a_drain_takes_one_and_they_keep_apart(deploy):
    built = deploy(lambda: samples(ecsdemo={"replicas": {"crystal": 2}}))

    budget = built.one(BUDGET).inputs
    assert budget["metadata"] == {"name": "ecsdemo-crystal", "namespace": "default"}
    assert budget["spec"] == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": {"app": "ecsdemo-crystal"}},
    }
    assert built.named(DEPLOYMENT, "ecsdemo-crystal").inputs["spec"]["replicas"] == 1 + 1
    assert "topologySpreadConstraints" not in pod_of(built, "ecsdemo-nodejs")
    assert pod_of(built, "ecsdemo-crystal")["topologySpreadConstraints"] == [
        {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "ecsdemo-crystal"}},
        }
        for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname")
    ]


@pytest.mark.feature("A3-12")
def test_an_autoscaler_of_pods_reads_the_processor_and_owns_their_number(once):
    built = once(everything)

    scaling, frontend = built.one(AUTOSCALER).inputs, built.named(DEPLOYMENT, "ecsdemo-frontend")
    assert scaling["metadata"] == {"name": "ecsdemo-frontend", "namespace": "default"}
    assert scaling["spec"] == {
        "scaleTargetRef": {
            "apiVersion": frontend.inputs["apiVersion"],
            "kind": frontend.inputs["kind"],
            "name": frontend.inputs["metadata"]["name"],
        },
        "minReplicas": 2,
        "maxReplicas": 6,
        "metrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 70},
                },
            }
        ],
    }
    # Each `up` would set it back.
    assert "replicas" not in frontend.inputs["spec"]
    # Without a request there is nothing to have a percentage of.
    assert container_of(built, "ecsdemo-frontend")["resources"]["requests"]["cpu"]


@pytest.mark.feature("A3-12")
def test_the_autoscalers_defaults_are_the_guides():
    config = HorizontalPodAutoscalerConfig()

    assert (config.min, config.max, config.cpu_utilization) == (1, 10, 50)


def test_pods_that_an_autoscaler_may_add_have_a_budget_and_keep_apart(deploy):
    built = deploy(lambda: samples(ecsdemo={HPA: {"max": 4}}))

    assert built.one(BUDGET).request.name == "ecsdemo-frontend"
    assert "topologySpreadConstraints" in pod_of(built, "ecsdemo-frontend")


@pytest.mark.parametrize("name", NAMES)
def test_pods_come_after_their_nodes_and_go_before_them(once, name):
    built = once(everything)

    pods, nodes = built.named(DEPLOYMENT, name), built.one("aws:sqs/queue:Queue")
    assert built.waits_for(pods, nodes)
    # A Service is waited for until it has pods, which must not begin before there are nodes.
    assert built.waits_for(built.named(SERVICE, name), pods)
    assert built.waits_for(built.named(BUDGET, name), pods)


@pytest.mark.parametrize("program", [as_shipped, everything])
def test_a_preview_shows_all_of_it(once, program):
    preview, update = once(program, preview=True), once(program)

    made, shown = [{each.urn: each.inputs for each in one.declared} for one in (update, preview)]
    assert shown == made


def test_the_labels_of_all_pods_are_told(once):
    config = SampleWorkloadsConfig(inflate={}, ecsdemo={})

    templates = [d.inputs["spec"]["template"] for d in once(everything).every(DEPLOYMENT)]
    told = list(config.pod_labels)
    assert sorted(labels["app"] for _, labels in told) == sorted(
        template["metadata"]["labels"]["app"] for template in templates
    )
    assert {key for key, _ in told} == {"inflate", "ecsdemo"}
    assert list(SampleWorkloadsConfig().pod_labels) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"replicas": {"frontend": 0}},
        {"images": "Brentley"},
        {"images": "brentley/"},
        {"tag": ""},
        {HPA: {"cpuUtilization": 0}},
        {HPA: {"min": 0}},
    ],
)
def test_what_the_api_server_would_refuse_is_refused(settings):
    with pytest.raises(ValidationError):
        EcsdemoConfig(**settings)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {HPA: {"min": 3, "max": 2}},
            "min: is above max 2: lower it or raise max",
        ),
        (
            {HPA: {}, "replicas": {"frontend": 1}},
            "replicas.frontend: horizontalPodAutoscaler decides it: drop one of them",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, told):
    with pytest.raises(ValidationError) as refused:
        EcsdemoConfig(**settings)

    assert [error["msg"] for error in refused.value.errors()] == [told]


def test_the_autoscaler_leaves_the_other_services_alone():
    config = EcsdemoConfig(**{HPA: {"max": 4}, "replicas": {"nodejs": 2}})

    assert [config.most(one) for one in ("frontend", "crystal", "nodejs")] == [4, 1, 2]
