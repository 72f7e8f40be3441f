"""The stack file's settings of sample workloads."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from ...kubernetes.labels import LabelKey, LabelValue
from ...kubernetes.quantities import Quantity
from ...section import Mistake, Section

NAMESPACE = "default"
ECSDEMO = ("frontend", "crystal", "nodejs")
"""Services of ecsdemo: the page, and the two services that it calls."""

ImagePath = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:\d+)?(/[a-z0-9]([a-z0-9._-]*[a-z0-9])?)*$"),
]
ImageTag = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$")]


class InflateConfig(Section):
    """Sample pods that request resources and do nothing: `kubectl scale deployment inflate
    --replicas=10`.
    """

    replicas: int = Field(default=0, ge=0, le=10_000)
    """Number of pods; each one that finds no room makes an autoscaler add a node."""
    cpu: Quantity = "1"
    """vCPUs that each pod requests."""
    memory: Quantity | None = None
    """Memory that each pod requests; absent: none."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes that the pods may run on; absent: any node with room."""


class ReplicasConfig(Section):
    """Number of pods of each service. Zero is not allowed: Pulumi would wait in vain for a Service
    without pods.
    """

    frontend: int = Field(default=1, ge=1)
    """Pods of the page."""
    crystal: int = Field(default=1, ge=1)
    """Pods of the first service that the page calls."""
    nodejs: int = Field(default=1, ge=1)
    """Pods of the second service that the page calls."""


class HorizontalPodAutoscalerConfig(Section):
    """Scales the pods of the frontend by their load, which metrics-server measures."""

    min: int = Field(default=1, ge=1)
    """Fewest pods."""
    max: int = Field(default=10, ge=1)
    """Most pods."""
    cpu_utilization: int = Field(default=50, ge=1)
    """Target CPU usage, in percent of the requests, averaged over all pods."""

    def mistakes(self) -> Iterator[Mistake]:
        """min must not exceed max."""
        if self.min > self.max:
            yield Mistake("min", f"is above max {self.max}: lower it or raise max", self.min)


class EcsdemoConfig(Section):
    """A sample page and the two services that it calls: small, named `ecsdemo-…` in the cluster."""

    images: ImagePath = "brentley"
    """Registry path of `ecsdemo-frontend` and the other images. Without a registry's name it is
    Docker Hub, which limits pulls by address; `public.ecr.aws/aws-containers` does not. Absent: the
    copy in `imageMirror`, if there is one.
    """
    tag: ImageTag = "latest"
    """Tag of the images, which are pulled at each start of a pod."""
    spot_preference: bool = True
    """If true, the pods prefer spot nodes that have room."""
    replicas: ReplicasConfig = ReplicasConfig()
    """Number of pods of each service."""
    cpu: Quantity = "100m"
    """vCPUs that each pod requests."""
    memory: Quantity = "128Mi"
    """Memory that each pod requests."""
    horizontal_pod_autoscaler: HorizontalPodAutoscalerConfig | None = None
    """Scales the pods of the frontend by their load; needs metricsServer."""

    def most(self, service: str) -> int:
        """Most pods that this service may have."""
        if service == "frontend" and self.horizontal_pod_autoscaler:
            return self.horizontal_pod_autoscaler.max
        return getattr(self.replicas, service)

    def mistakes(self) -> Iterator[Mistake]:
        """Either horizontalPodAutoscaler or replicas.frontend decides the number of pods."""
        if self.horizontal_pod_autoscaler and "frontend" in self.replicas.model_fields_set:
            yield Mistake(
                "replicas.frontend",
                "horizontalPodAutoscaler decides it: drop one of them",
                self.replicas.frontend,
            )


class SampleWorkloadsConfig(Section):
    """Sample workloads; each is off unless it is given."""

    inflate: InflateConfig | None = None
    """Pods that request resources and do nothing."""
    ecsdemo: EcsdemoConfig | None = None
    """A page and the two services that it calls."""

    @property
    def pod_labels(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Labels of all sample pods, each with the key that asks for them."""
        if self.inflate:
            yield "inflate", app("inflate")
        if self.ecsdemo:
            yield from (("ecsdemo", app(f"ecsdemo-{service}")) for service in ECSDEMO)


def app(name: str) -> dict[str, str]:
    """Label by which a sample's pods are found."""
    return {"app": name}
