"""The section of the AWS Load Balancer Controller in the stack file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from ...kubernetes.charts import UNQUOTED, survives_unquoted
from ...section import Mistake
from ..addon_config import PodsConfig

TagKey = Annotated[str, Field(pattern=r"^[\w .:/+@-]+$", max_length=128)]
"""Key of a tag. AWS allows `=` too, but the chart joins all tags as `key=value,key=value`."""
TagValue = Annotated[str, Field(pattern=r"^[\w .:/+@=-]*$", max_length=256)]


class AwsLoadBalancerControllerConfig(PodsConfig):
    """AWS Load Balancer Controller: its size, and the tags of its load balancers."""

    CHART_NAME: ClassVar[str] = "aws-load-balancer-controller"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "aws-load-balancer-controller",
        "app.kubernetes.io/instance": "aws-load-balancer-controller",
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("elasticloadbalancing",)

    # What upstream's values.yaml suggests.
    ON_NODES: ClassVar[Mapping[str, str]] = {"cpu": "100m", "memory": "128Mi"}

    replicas: int = Field(default=2, ge=1, le=3)
    """Number of pods. One of them does the work; all answer the webhooks, without which no Ingress
    can be made.
    """
    default_tags: Mapping[TagKey, TagValue] = {}
    """Tags of every load balancer, target group and security group, for cost reports for
    example.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses reserved tag names, and texts that the chart would change."""
        for key, value in self.default_tags.items():
            if not survives_unquoted("default-tags", f"{key}={value}"):
                yield Mistake(f"defaultTags.{key}", UNQUOTED, value)
            if key.startswith("aws:") or ".k8s.aws/" in key:
                problem = "is a tag that AWS or the controller sets itself: choose another name"
                yield Mistake(f"defaultTags.{key}", problem)
