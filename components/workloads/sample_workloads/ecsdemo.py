"""ecsdemo: three services that prefer spot nodes, and run without any."""

from typing import Any

import pulumi

from ...kubernetes.charts import ChartSource
from ...kubernetes.kubernetes_object import KubernetesObject
from ..pod_protection import pod_disruption_budget
from ..spot_preference import prefer_spot
from .autoscaling import horizontal_pod_autoscaler
from .config import ECSDEMO, NAMESPACE, EcsdemoConfig, app

DOCKER_HUB = "docker.io"
PORT = 3000
SERVICE_PORT = 80
"""Port of the Services: the URLs by which the frontend finds the others name none."""
ENVIRONMENT = {
    "frontend": {
        "CRYSTAL_URL": f"http://ecsdemo-crystal.{NAMESPACE}.svc.cluster.local/crystal",
        "NODEJS_URL": f"http://ecsdemo-nodejs.{NAMESPACE}.svc.cluster.local/",
    },
}


def declare_ecsdemo(
    config: EcsdemoConfig, charts: ChartSource, opts: pulumi.ResourceOptions
) -> None:
    """Declares all objects of the three services; `opts` are those of a child that waits for
    nodes.
    """
    images = image_path(config, charts)
    for service in ECSDEMO:
        name = f"ecsdemo-{service}"
        pods = KubernetesObject(name, deployment(service, config, images), opts=opts)
        # A Service is waited for until it has a pod, for ten minutes: that begins with the pods.
        after_pods = pulumi.ResourceOptions(parent=opts.parent, depends_on=[pods])
        KubernetesObject(name, cluster_service(name), opts=after_pods)
        if config.most(service) > 1:
            KubernetesObject(name, disruption_budget(name), opts=after_pods)
        if service == "frontend" and config.horizontal_pod_autoscaler:
            scaling = horizontal_pod_autoscaler(name, config.horizontal_pod_autoscaler)
            KubernetesObject(name, scaling, opts=after_pods)


def image_path(config: EcsdemoConfig, charts: ChartSource) -> str:
    """Registry path of the images: `images` if given, else the mirror's copy if there is a
    mirror.
    """
    if charts.images and "images" not in config.model_fields_set:
        return charts.image(f"{DOCKER_HUB}/{config.images}")
    return config.images


def deployment(service: str, config: EcsdemoConfig, images: str) -> dict[str, Any]:
    """The Deployment of one service; `images` is the registry path of its image."""
    name = f"ecsdemo-{service}"
    spec: dict[str, Any] = {
        "selector": {"matchLabels": app(name)},
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
        },
        "template": {"metadata": {"labels": app(name)}, "spec": _pod(service, config, images)},
    }
    if not (service == "frontend" and config.horizontal_pod_autoscaler):
        # Beside an autoscaler, each `up` would set it back.
        spec["replicas"] = getattr(config.replicas, service)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": app(name)},
        "spec": spec,
    }


def cluster_service(name: str) -> dict[str, Any]:
    """A Service inside the cluster only; upstream's are Classic Load Balancers."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "type": "ClusterIP",
            "selector": app(name),
            "ports": [{"port": SERVICE_PORT, "targetPort": PORT, "protocol": "TCP"}],
        },
    }


def disruption_budget(name: str) -> dict[str, Any]:
    """A budget that lets a drain remove one pod at a time.

    A service with a single pod has none: `minAvailable: 1` would stop every drain, that of a spot
    interruption as well, until the instance is gone; `maxUnavailable: 1` would have no effect.
    """
    return pod_disruption_budget(name, namespace=NAMESPACE, match_labels=app(name))


def _pod(service: str, config: EcsdemoConfig, images: str) -> dict[str, Any]:
    name = f"ecsdemo-{service}"
    container: dict[str, Any] = {
        "name": name,
        "image": f"{images}/{name}:{config.tag}",
        # The tag may be another image tomorrow.
        "imagePullPolicy": "Always",
        "ports": [{"containerPort": PORT, "protocol": "TCP"}],
        # No limits: that of the processor only slows down, that of memory needs a measurement.
        "resources": {"requests": {"cpu": config.cpu, "memory": config.memory}},
        # Without it a rollout goes on while the new pod is still starting.
        "readinessProbe": {"tcpSocket": {"port": PORT}},
    }
    if variables := ENVIRONMENT.get(service):
        container["env"] = [{"name": key, "value": url} for key, url in variables.items()]
    pod: dict[str, Any] = {"automountServiceAccountToken": False, "containers": [container]}
    if config.most(service) > 1:
        pod["topologySpreadConstraints"] = [
            _spread(name, key) for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname")
        ]
    return prefer_spot(pod) if config.spot_preference else pod


def _spread(name: str, key: str) -> dict[str, Any]:
    """Spreads pods over zones and nodes, so that one interruption takes one pod. A hard rule would
    leave pods pending if there is one node. The rule weighs as much as the preference for spot: if
    a zone has only other nodes, one of three or more pods runs there.
    """
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": app(name)},
    }
