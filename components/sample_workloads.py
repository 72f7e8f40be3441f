"""Workloads to try a stack with."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pydantic import Field

import versions
from components.karpenter.quantities import Quantity
from components.kubernetes_object import KubernetesObject
from components.section import Section

NAMESPACE = "default"
PAUSE_REPOSITORY = "public.ecr.aws/eks-distro/kubernetes/pause"


class InflateConfig(Section):
    """Pods that ask for room and do nothing: `kubectl scale deployment inflate --replicas=10`."""

    replicas: int = Field(default=0, ge=0)
    cpu: Quantity = "1"
    """Of each pod."""
    memory: Quantity | None = None


class SampleWorkloadsConfig(Section):
    """Each is off unless it is named."""

    inflate: InflateConfig | None = None


@dataclass(frozen=True, kw_only=True)
class SampleWorkloadsArgs:
    """The stack file's part, and what gives the pods their nodes."""

    config: SampleWorkloadsConfig
    needs: Sequence[pulumi.Resource]


class SampleWorkloads(pulumi.ComponentResource):
    """They go first when the stack is destroyed, while there is still somebody to take nodes."""

    def __init__(
        self, name: str, args: SampleWorkloadsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:SampleWorkloads", name, None, opts)
        if args.config.inflate:
            _inflate(
                args.config.inflate,
                pulumi.ResourceOptions(parent=self, depends_on=list(args.needs)),
            )
        self.register_outputs({})


def _inflate(config: InflateConfig, opts: pulumi.ResourceOptions) -> KubernetesObject:
    labels = {"app": "inflate"}
    requests = {"cpu": config.cpu} | ({"memory": config.memory} if config.memory else {})
    pod = {
        # It has nothing to finish: a drain need not wait for it.
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {
                "name": "inflate",
                "image": f"{PAUSE_REPOSITORY}:{versions.PAUSE}",
                "resources": {"requests": requests},
            }
        ],
    }
    return KubernetesObject(
        "inflate",
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "inflate", "namespace": NAMESPACE},
            "spec": {
                "replicas": config.replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
        opts=opts,
    )
