"""The section of the AWS Load Balancer Controller in the stack file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from ...kubernetes.charts import UNQUOTED, survives_unquoted
from ...section import Mistake
from ..addon_config import PodsConfig

TagKey = Annotated[str, Field(pattern=r"^[\w .:/+@-]+$", max_length=128)]
"""AWS allows `=` too, but the chart writes all tags as one `key=value,key=value`."""
TagValue = Annotated[str, Field(pattern=r"^[\w .:/+@=-]*$", max_length=256)]


class AwsLoadBalancerControllerConfig(PodsConfig):
    """How large it is, and how its load balancers are tagged."""

    CHART_NAME: ClassVar[str] = "aws-load-balancer-controller"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "aws-load-balancer-controller",
        "app.kubernetes.io/instance": "aws-load-balancer-controller",
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("elasticloadbalancing",)

    # What upstream's values.yaml suggests.
    ON_NODES: ClassVar[Mapping[str, str]] = {"cpu": "100m", "memory": "128Mi"}

    replicas: int = Field(default=2, ge=1, le=3)
    """One works; a second answers the webhooks too: without an answer no Ingress can be made."""
    default_tags: Mapping[TagKey, TagValue] = {}
    """On every load balancer, target group and security group, for cost reports for example."""

    def mistakes(self) -> Iterator[Mistake]:
        """Names of tags that are taken, and texts that do not arrive as they are."""
        for key, value in self.default_tags.items():
            if not survives_unquoted("default-tags", f"{key}={value}"):
                yield Mistake(f"defaultTags.{key}", UNQUOTED, value)
            if key.startswith("aws:") or ".k8s.aws/" in key:
                problem = "is a tag that AWS or the controller sets itself: choose another name"
                yield Mistake(f"defaultTags.{key}", problem)
