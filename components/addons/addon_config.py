"""Base sections of add-ons in the stack file: size, values file, and the add-ons they need."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, NamedTuple

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from ..kubernetes.labels import LabelKey, LabelValue
from ..kubernetes.quantities import Quantity
from ..placement import RunsOn
from ..section import Mistake, Section
from . import user_values

NAMESPACE = "kube-system"
"""Namespace of all add-ons: its pods may have the highest priorities, and one Fargate selector
matches them all.
"""
FARGATE_SIZE = {"cpu": "250m", "memory": "256M"}
"""Largest size that still fits Fargate's smallest, which adds 256 MB and rounds up."""
NODE_SIZE = {"cpu": "50m", "memory": "128Mi"}


class Need(NamedTuple):
    """Another add-on that a section needs."""

    path: str
    """Key below the section that causes the need; empty: the section itself."""
    addon: str
    """Key of the needed add-on in `addons`."""
    why: str


class AddonConfig(Section):
    """Base of every add-on's section. An absent section means off."""

    POD_LABELS: ClassVar[Mapping[str, str]]
    """Labels of the add-on's pods; a Fargate selector must match them."""
    ENDPOINTS: ClassVar[tuple[str, ...]] = ()
    """AWS services that the pods call. In a network without internet each needs an endpoint."""
    NO_ENDPOINT: ClassVar[str | None] = None
    """An AWS service that the pods call and that has no VPC endpoint; None if there is none."""
    WITH_NODE_GROUPS: ClassVar[bool] = False
    """True if the node groups' wiring declares the add-on, because a destroy must delete the groups
    first.
    """
    ON_EVERY_NODE: ClassVar[bool] = False
    """True if all its pods belong to a DaemonSet, which Fargate does not run."""

    def needs(self) -> Iterator[Need]:
        """Other add-ons that must be on."""
        yield from ()


class ChartConfig(AddonConfig):
    """An add-on that a Helm chart installs: size, place and values of its pods."""

    CHART_NAME: ClassVar[str]
    """Name of the Helm chart, which also finds the chart's own values."""
    OWN_VALUES: ClassVar[Mapping[str, str]] = {}
    """Values of the chart that a values file must not set, with what to do instead."""
    ON_FARGATE: ClassVar[Mapping[str, str]] = FARGATE_SIZE
    ON_NODES: ClassVar[Mapping[str, str]] = NODE_SIZE

    cpu: Quantity | None = None
    """vCPUs of each pod. Absent: on Fargate what fits its smallest size, on nodes the add-on's own
    default.
    """
    memory: Quantity | None = None
    """Memory of each pod. Absent: on Fargate what fits its smallest size; on nodes the add-on's own
    default.
    """
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes where pods may run, for example `lifecycle: OnDemand`; ignored on
    Fargate.
    """
    values_file: str | None = Field(default=None, min_length=1)
    """A YAML file with values of the chart, relative to the project. They override the program's
    values, some of which the program relies on. Lists are replaced as a whole.
    """

    @field_validator("values_file")
    @classmethod
    def _holds_values_of_the_chart(cls, file: str | None) -> str | None:
        problems = list(user_values.problems(file, cls.CHART_NAME, cls.OWN_VALUES)) if file else []
        if problems:
            mistakes = [Mistake("", problem, file) for problem in problems]
            context = {"told": "; ".join(problems), "mistakes": mistakes}
            raise PydanticCustomError("rules", "{told}", context)
        return file

    def resources(self, runs_on: RunsOn) -> dict[str, dict[str, str]]:
        """Resources of a container: the section's size, else the add-on's default."""
        default = self.ON_FARGATE if runs_on is RunsOn.FARGATE else self.ON_NODES
        size = {
            "cpu": self.cpu or default["cpu"],
            "memory": self.memory or default["memory"],
        }
        return resources(size, runs_on)


def resources(size: Mapping[str, str], runs_on: RunsOn) -> dict[str, dict[str, str]]:
    """Requests, and limits equal to them: Fargate knows no others. On nodes there is no CPU limit,
    which would slow pods down while the node has CPU to spare.
    """
    limits = size if runs_on is RunsOn.FARGATE else {"memory": size["memory"]}
    return {"requests": dict(size), "limits": dict(limits)}


class PodsConfig(ChartConfig):
    """An add-on whose pods belong to a Deployment."""

    replicas: int = Field(default=1, ge=1, le=3)
    """Number of pods. On Fargate each is billed by itself: 0.25 vCPU and 0.5 GB are about 10 USD
    per month.
    """
