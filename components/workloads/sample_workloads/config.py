"""What the stack file says about samples."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from ...kubernetes.labels import LabelKey, LabelValue
from ...kubernetes.quantities import Quantity
from ...section import Mistake, Section

NAMESPACE = "default"
ECSDEMO = ("frontend", "crystal", "nodejs")
"""The services of ecsdemo: what people see, and the two that it asks."""

ImagePath = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:\d+)?(/[a-z0-9]([a-z0-9._-]*[a-z0-9])?)*$"),
]
ImageTag = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$")]


class InflateConfig(Section):
    """Pods that ask for room and do nothing: `kubectl scale deployment inflate --replicas=10`."""

    replicas: int = Field(default=0, ge=0)
    """How many pods; each one that has no place makes a node come."""
    cpu: Quantity = "1"
    """vCPUs that each pod requests."""
    memory: Quantity | None = None
    """Memory that each pod requests; absent: none."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes that they may run on; absent: any node with room."""


class ReplicasConfig(Section):
    """How many pods each service has. A Service without any would be waited for in vain."""

    frontend: int = Field(default=1, ge=1)
    """The page."""
    crystal: int = Field(default=1, ge=1)
    """The first service that it asks."""
    nodejs: int = Field(default=1, ge=1)
    """The second."""


class HorizontalPodAutoscalerConfig(Section):
    """As many pods of the frontend as its load asks for. Measured by metrics-server."""

    min: int = Field(default=1, ge=1)
    """The least pods."""
    max: int = Field(default=10, ge=1)
    """The most pods."""
    cpu_utilization: int = Field(default=50, ge=1)
    """Percent of what each pod requests, on average over all of them."""

    def mistakes(self) -> Iterator[Mistake]:
        """Minimum and maximum do not fall."""
        if self.min > self.max:
            yield Mistake("min", f"is above max {self.max}: lower it or raise max", self.min)


class EcsdemoConfig(Section):
    """A page and the two services that it asks: small, and each as `ecsdemo-…` in the cluster."""

    images: ImagePath = "brentley"
    """Where `ecsdemo-frontend` and the others lie. Without a registry's name it is Docker Hub,
    which counts what each address pulls: `public.ecr.aws/aws-containers` does not. Absent:
    `imageMirror`'s copy, where there is a mirror."""
    tag: ImageTag = "latest"
    """Pulled at each start of a pod, whatever it is."""
    spot_preference: bool = True
    """Whether the pods run on spot nodes where there are some with room."""
    replicas: ReplicasConfig = ReplicasConfig()
    """How many pods each service has."""
    cpu: Quantity = "100m"
    """vCPUs that each pod requests."""
    memory: Quantity = "128Mi"
    """Memory that each pod requests: what the scheduler counts, and the autoscaler's 100
    percent."""
    horizontal_pod_autoscaler: HorizontalPodAutoscalerConfig | None = None
    """As many pods of the frontend as its load asks for; needs metricsServer."""

    def most(self, service: str) -> int:
        """How many pods of this service there may be."""
        if service == "frontend" and self.horizontal_pod_autoscaler:
            return self.horizontal_pod_autoscaler.max
        return getattr(self.replicas, service)

    def mistakes(self) -> Iterator[Mistake]:
        """One of them says how many pods there are."""
        if self.horizontal_pod_autoscaler and "frontend" in self.replicas.model_fields_set:
            yield Mistake(
                "replicas.frontend",
                "horizontalPodAutoscaler decides it: drop one of them",
                self.replicas.frontend,
            )


class SampleWorkloadsConfig(Section):
    """Each is off unless it is named."""

    inflate: InflateConfig | None = None
    """Pods that ask for room and do nothing."""
    ecsdemo: EcsdemoConfig | None = None
    """A page and the two services that it asks."""

    @property
    def pod_labels(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The labels of all pods that there will be, each with the key that asks for them."""
        if self.inflate:
            yield "inflate", app("inflate")
        if self.ecsdemo:
            yield from (("ecsdemo", app(f"ecsdemo-{service}")) for service in ECSDEMO)


def app(name: str) -> dict[str, str]:
    """The label by which a sample's pods are found."""
    return {"app": name}
