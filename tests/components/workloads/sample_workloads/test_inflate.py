import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components.workloads.sample_workloads.config import InflateConfig, SampleWorkloadsConfig
from components.workloads.sample_workloads.sample_workloads import (
    SampleWorkloads,
    SampleWorkloadsArgs,
)

DEPLOYMENT = "kubernetes:apps/v1:Deployment"


def samples(**settings):
    """A program with the samples, and a queue that stands for what gives them nodes."""
    args = SampleWorkloadsArgs(
        config=SampleWorkloadsConfig(**settings), needs=[aws.sqs.Queue("nodes")]
    )
    return SampleWorkloads("samples", args)


def inflate():
    return samples(inflate={})


@pytest.mark.feature("A2-58")
def test_inflate_asks_for_room_and_does_nothing(once):
    deployment = once(inflate).one(DEPLOYMENT).inputs

    assert deployment["metadata"] == {"name": "inflate", "namespace": "default"}
    assert deployment["spec"] == {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "inflate"}},
        "template": {
            "metadata": {"labels": {"app": "inflate"}},
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "containers": [
                    {
                        "name": "inflate",
                        "image": "public.ecr.aws/eks-distro/kubernetes/pause:3.7",
                        "resources": {"requests": {"cpu": "1"}},
                    }
                ],
            },
        },
    }


def test_number_and_size_are_settings(deploy):
    built = deploy(lambda: samples(inflate={"replicas": 3, "cpu": "500m", "memory": "1.5Gi"}))

    spec = built.one(DEPLOYMENT).inputs["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    assert spec["replicas"] == 1 + 2
    assert container["resources"] == {"requests": {"cpu": "500m", "memory": "1.5Gi"}}


def test_there_are_no_fewer_than_no_pods():
    with pytest.raises(ValidationError):
        InflateConfig(replicas=-1)


def test_it_comes_after_its_nodes_and_goes_before_them(once):
    built = once(inflate)

    assert built.waits_for(built.one(DEPLOYMENT), built.one("aws:sqs/queue:Queue"))


def test_what_is_not_named_is_off(deploy):
    assert deploy(samples).every(DEPLOYMENT) == []


def test_a_preview_shows_all_of_it(once):
    assert once(inflate, preview=True).tree() == once(inflate).tree()


@pytest.mark.feature("A1-06")
def test_pods_ask_for_nodes_of_a_pool_by_its_label(deploy):
    built = deploy(lambda: samples(inflate={"node_selector": {"intent": "apps"}}))

    pod = built.one(DEPLOYMENT).inputs["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"intent": "apps"}
