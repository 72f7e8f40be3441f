"""inflate: as many idle pods as you ask for, to see nodes come and go."""

from typing import Any

import pulumi

from ... import versions
from ...kubernetes.charts import ChartSource
from ...kubernetes.kubernetes_object import KubernetesObject
from .config import NAMESPACE, InflateConfig, app

PAUSE_REPOSITORY = "public.ecr.aws/eks-distro/kubernetes/pause"


def declare_inflate(
    config: InflateConfig, charts: ChartSource, opts: pulumi.ResourceOptions
) -> KubernetesObject:
    """Declares the Deployment; `opts` are those of a child that waits for nodes."""
    labels = app("inflate")
    requests = {"cpu": config.cpu} | ({"memory": config.memory} if config.memory else {})
    pod: dict[str, Any] = {
        # It has nothing to finish: a drain need not wait for it.
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {
                "name": "inflate",
                "image": f"{charts.image(PAUSE_REPOSITORY)}:{versions.PAUSE}",
                "resources": {"requests": requests},
            }
        ],
    }
    if config.node_selector:
        pod["nodeSelector"] = dict(config.node_selector)
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
