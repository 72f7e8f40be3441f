"""The section of an add-on in the stack file: its size, its values file, and what it needs."""

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
"""The namespace of all add-ons: its pods may have the highest priorities, and one Fargate selector
takes all."""
FARGATE_SIZE = {"cpu": "250m", "memory": "256M"}
"""The most that still fits Fargate's smallest size, which adds 256 MB and rounds up."""
NODE_SIZE = {"cpu": "50m", "memory": "128Mi"}


class Need(NamedTuple):
    """Another add-on without which this one cannot do what its section asks for."""

    path: str
    """The key, below this add-on's section, that asks for it; empty: the section itself."""
    addon: str
    """The other one's key in `addons`."""
    why: str


class AddonConfig(Section):
    """The base of every add-on's section. Absent means off."""

    POD_LABELS: ClassVar[Mapping[str, str]]
    """What its pods carry: a Fargate selector must match it."""
    ENDPOINTS: ClassVar[tuple[str, ...]] = ()
    """AWS services that its pods call: each needs an endpoint where there is no other way."""
    NO_ENDPOINT: ClassVar[str | None] = None
    """An AWS service that its pods call and that has no endpoint in a VPC."""
    WITH_NODE_GROUPS: ClassVar[bool] = False
    """Whether the wiring of the node groups declares it, since the groups must go before it."""
    ON_EVERY_NODE: ClassVar[bool] = False
    """Whether all its pods are a DaemonSet's: they have no other home, and Fargate runs none."""

    def needs(self) -> Iterator[Need]:
        """Add-ons that must be on too."""
        yield from ()


class ChartConfig(AddonConfig):
    """An add-on that a chart installs: how large its pods are, and what else the chart is told."""

    CHART_NAME: ClassVar[str]
    """The chart's own name, under which its values lie in `chart_values`."""
    OWN_VALUES: ClassVar[Mapping[str, str]] = {}
    """Values of the chart that a values file must leave alone, with what to do instead."""
    ON_FARGATE: ClassVar[Mapping[str, str]] = FARGATE_SIZE
    ON_NODES: ClassVar[Mapping[str, str]] = NODE_SIZE

    cpu: Quantity | None = None
    """vCPUs of each pod. Absent: on Fargate what its smallest size holds, on nodes what the add-on
    needs."""
    memory: Quantity | None = None
    """Memory of each pod. Absent: on Fargate what its smallest size holds, 250m and 256M; on nodes
    50m and 128Mi."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """On nodes only: where its pods may run, for example `lifecycle: OnDemand`."""
    values_file: str | None = Field(default=None, min_length=1)
    """A YAML file with values of the chart, relative to the project: they win over the program's,
    which may rely on its own. Lists replace lists."""

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
        """The size that the section or the add-on itself asks for: see `resources`."""
        default = self.ON_FARGATE if runs_on is RunsOn.FARGATE else self.ON_NODES
        size = {
            "cpu": self.cpu or default["cpu"],
            "memory": self.memory or default["memory"],
        }
        return resources(size, runs_on)


def resources(size: Mapping[str, str], runs_on: RunsOn) -> dict[str, dict[str, str]]:
    """Requests, and limits that equal them: Fargate knows no others. On nodes a limit of the
    processor would only slow pods down where there is some to spare."""
    limits = size if runs_on is RunsOn.FARGATE else {"memory": size["memory"]}
    return {"requests": dict(size), "limits": dict(limits)}


class PodsConfig(ChartConfig):
    """An add-on whose pods are a Deployment's."""

    replicas: int = Field(default=1, ge=1, le=3)
    """On Fargate each is billed by itself: 0.25 vCPU and 0.5 GB are about 10 USD a month."""
