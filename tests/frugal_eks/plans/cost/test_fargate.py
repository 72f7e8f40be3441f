"""Pods on Fargate: which they are, and what they are billed as."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugal_eks.plans.cost.fargate import SIZES, size
from frugal_eks.plans.cost.workloads import Request

MIB = 2**20
PROFILE, DEPLOYMENT = "aws:eks/fargateProfile:FargateProfile", "kubernetes:apps/v1:Deployment"
RELEASE, ADDON = "kubernetes:helm.sh/v3:Release", "aws:eks/addon:Addon"


@pytest.mark.parametrize(
    ("cpu", "mib", "billed"),
    [
        (0, 0, (0.25, 0.5)),  # nothing asked: the smallest
        (0.25, 244, (0.25, 0.5)),  # 256M, the most that fits the smallest
        (0.25, 256, (0.25, 0.5)),
        (0.25, 257, (0.25, 1)),
        (0.251, 100, (0.5, 1)),
        (0.25, 1793, (0.5, 3)),  # memory alone takes the next vCPU
        (1, 1024, (1, 2)),  # Karpenter
        (1, 1792, (1, 2)),
        (1, 1793, (1, 3)),
        (3, 1024, (4, 8)),
        (5, 17 * 1024, (8, 20)),
        (16, 120 * 1024 - 256, (16, 120)),
    ],
)
def test_a_pod_is_billed_as_the_next_size_with_256_mib_added(cpu, mib, billed):
    assert size(Request(cpu, mib * MIB)) == billed


def test_no_size_holds_more_than_the_largest():
    assert size(Request(17, 0)) is None
    assert size(Request(1, 120 * 1024 * MIB)) is None


@given(st.floats(0, 16), st.floats(0, 119 * 1024))
def test_what_is_billed_is_a_size_of_fargate_that_holds_the_pod(cpu, mib):
    vcpu, gb = size(Request(cpu, mib * MIB))

    assert gb in SIZES[vcpu]
    assert vcpu + 1e-9 >= cpu
    assert gb * 1024 >= mib + 256


@pytest.fixture
def profile(resource):
    def made(*selectors):
        return resource(PROFILE, inputs={"selectors": list(selectors)})

    return made


@pytest.fixture
def deployment(resource):
    def made(namespace="apps", replicas=1, labels=None, cpu="250m", memory="256M"):
        container = {"resources": {"requests": {"cpu": cpu, "memory": memory}}}
        pod = {"metadata": {"labels": labels or {}}, "spec": {"containers": [container]}}
        return resource(
            DEPLOYMENT,
            "web",
            {
                "metadata": {"name": "web", "namespace": namespace},
                "spec": {"replicas": replicas, "template": pod},
            },
        )

    return made


def pods(estimate):
    return [line.what.removesuffix(" on Fargate") for line in estimate.lines]


@pytest.mark.parametrize(
    ("selector", "counted"),
    [
        ({"namespace": "apps"}, True),
        ({"namespace": "app*"}, True),
        ({"namespace": "other"}, False),
        ({"namespace": "apps", "labels": {"tier": "web"}}, True),
        ({"namespace": "apps", "labels": {"tier": "w?b"}}, True),
        ({"namespace": "apps", "labels": {"tier": "db"}}, False),
    ],
)
def test_only_pods_that_a_profile_selects_run_there(
    profile, deployment, estimated, selector, counted
):
    found = estimated(profile(selector), deployment(labels={"tier": "web"}))

    assert pods(found) == (["1 pod of 0.25 vCPU and 0.5 GB"] if counted else [])


def test_each_pod_is_billed(profile, deployment, estimated):
    found = estimated(profile({"namespace": "apps"}), deployment(replicas=3))

    assert found.total.expected == pytest.approx(3 * (0.25 * 0.04 + 0.5 * 0.004) * 730)
    assert pods(estimated(profile({"namespace": "apps"}), deployment(replicas=0))) == [
        "0 pods of 0.25 vCPU and 0.5 GB"
    ]


def test_an_autoscaler_makes_the_number_of_pods_a_span(profile, deployment, resource, estimated):
    scaler = resource(
        "kubernetes:autoscaling/v2:HorizontalPodAutoscaler",
        inputs={
            "metadata": {"namespace": "apps"},
            "spec": {"scaleTargetRef": {"name": "web"}, "minReplicas": 2, "maxReplicas": 6},
        },
    )

    found = estimated(profile({"namespace": "apps"}), deployment(), scaler)

    assert pods(found) == ["2 to 6 pods of 0.25 vCPU and 0.5 GB"]
    assert found.total.high == pytest.approx(3 * found.total.low)


def test_what_a_chart_and_an_add_on_run_is_taken_from_their_values(profile, resource, estimated):
    asked = {"requests": {"cpu": "1", "memory": "1Gi"}}
    karpenter = resource(
        RELEASE,
        inputs={
            "chart": "oci://public.ecr.aws/karpenter/karpenter",
            "namespace": "karpenter",
            "values": {"replicas": 2, "controller": {"resources": asked}},
        },
    )
    crds = resource(RELEASE, inputs={"chart": "/mirror/karpenter-crd", "namespace": "karpenter"})
    coredns = resource(
        ADDON,
        inputs={
            "addonName": "coredns",
            "configurationValues": json.dumps({"replicaCount": 3, "computeType": "Fargate"}),
        },
    )
    daemons = resource(ADDON, inputs={"addonName": "vpc-cni"})
    profiles = profile({"namespace": "karpenter"}), profile({"namespace": "kube-system"})

    found = estimated(*profiles, karpenter, crds, coredns, daemons)

    assert pods(found) == ["3 pods of 0.25 vCPU and 0.5 GB", "2 pods of 1 vCPU and 2 GB"]
    assert found.unknown == ()


@pytest.mark.parametrize(("queue", "counted"), [(True, 2), (False, 0)])
def test_the_termination_handler_has_pods_of_its_own_with_a_queue_alone(
    profile, resource, estimated, queue, counted
):
    """Without, it is a DaemonSet: one on each node, and none on Fargate."""
    values = {"replicas": 2, "enableSqsTerminationDraining": queue}
    chart = "oci://public.ecr.aws/aws-ec2/helm/aws-node-termination-handler"
    handler = resource(RELEASE, inputs={"chart": chart, "namespace": "apps", "values": values})

    found = estimated(profile({"namespace": "apps"}), handler)

    assert pods(found) == ([f"{counted} pods of 0.25 vCPU and 0.5 GB"] if counted else [])
    assert found.unknown == ()


def test_a_chart_that_is_not_known_is_named_where_fargate_would_run_it(
    profile, resource, estimated
):
    chart = resource(RELEASE, "mine", {"chart": "./charts/mine", "namespace": "apps"})

    assert [each.what for each in estimated(profile({"namespace": "apps"}), chart).unknown] == [
        "how many pods the chart mine makes on Fargate"
    ]
    assert estimated(profile({"namespace": "other"}), chart).unknown == ()
    assert estimated(chart).unknown == ()


def test_a_pod_that_fargate_has_no_size_for_is_named(profile, deployment, estimated):
    found = estimated(profile({"namespace": "apps"}), deployment(cpu="20"))

    assert found.lines == ()
    assert "larger than Fargate's largest size" in found.unknown[0].what


def test_init_containers_count_where_they_ask_for_more(profile, resource, estimated):
    pod = {
        "containers": [{"resources": {"limits": {"cpu": "100m"}}}],
        "initContainers": [{"resources": {"requests": {"cpu": "500m"}}}],
    }
    given = resource(DEPLOYMENT, inputs={"spec": {"template": {"spec": pod}}})

    assert pods(estimated(profile({"namespace": "default"}), given)) == [
        "1 pod of 0.5 vCPU and 1 GB"
    ]
