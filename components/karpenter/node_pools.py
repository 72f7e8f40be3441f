"""NodePool: which nodes Karpenter may launch, how many, and when it takes them away again."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from ..kubernetes.labels import LabelKey
from ..kubernetes.quantities import Duration, DurationOrNever, Quantity, refused
from ..kubernetes.taints import TaintConfig, named_twice
from ..section import Mistake, refuse
from . import old_keys
from .disruption import DisruptionConfig, DisruptionWindowConfig
from .requirements import NodeChoiceConfig, requirements

NODE_CLASS_KIND = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass"}

# Resources without a domain in their name; any other of these no node ever has.
_RESOURCES = ("cpu", "memory", "ephemeral-storage", "pods", "nodes")


def _ends(value: Any) -> Any:
    if isinstance(value, str) and value.lower() == "never":
        raise refused(
            "has to end, or a destroy could wait for ever: drop the key for 30m, or write the "
            "longest that you accept, for example 24h"
        )
    return value


GracePeriod = Annotated[Duration, BeforeValidator(_ends)]


class NodePoolConfig(NodeChoiceConfig):
    """Nodes of one kind. Spot prices are a third to a tenth of on-demand; the limits are the most
    that this pool can ever cost."""

    node_class: str
    """A key of `nodeClasses`."""
    replicas: int | None = Field(default=None, ge=0)
    """Keeps so many nodes whatever pods there are: a static pool. Absent: nodes come and go with
    pods. A pool cannot change from one to the other; give the new one another name."""
    weight: int | None = Field(default=None, ge=1, le=100)
    """The rank of the pool: Karpenter tries the heaviest of all pools that fit first. Absent counts
    as 0."""
    limits: Mapping[LabelKey, Quantity] = {}
    """The most of all nodes together: cpu, memory, any other resource, or `nodes`, their number.
    What is absent has no limit."""
    annotations: Mapping[LabelKey, str] = {}
    """What nodes carry besides labels, for example `karpenter.sh/do-not-disrupt`."""
    taints: tuple[TaintConfig, ...] = ()
    """Keep pods without the matching toleration away."""
    startup_taints: tuple[TaintConfig, ...] = ()
    """Taken off by whoever gets the node ready; pods wait, but no further node is launched."""
    expire_after: DurationOrNever = "720h"
    """Nodes older than this are replaced, whatever the budgets say."""
    termination_grace_period: GracePeriod = "30m"
    """The most that a drain may take; then pods go, whatever their disruption budget says. It is
    also what bounds a destroy."""
    disruption: DisruptionConfig = DisruptionConfig()
    """When nodes are taken away or swapped for cheaper ones, and how many at once."""

    @model_validator(mode="before")
    @classmethod
    def _is_of_this_api(cls, given: Any) -> Any:
        refuse(old_keys.of_a_pool(given))
        return given

    @property
    def is_static(self) -> bool:
        """Whether it keeps a number of nodes, which Karpenter does behind a feature gate."""
        return self.replicas is not None

    def mistakes(self) -> Iterator[Mistake]:
        """Nothing is said twice, limits are of something, and a static pool has only what it
        reads."""
        yield from super().mistakes()
        yield from named_twice(self.taints, self.startup_taints)
        for resource in self.limits:
            if not ("/" in resource or resource in _RESOURCES or resource.startswith("hugepages-")):
                known = ", ".join(_RESOURCES)
                problem = f"no node has it: write one of {known}, or a name with its domain, for"
                path = f"limits.{resource}"
                yield Mistake(path, f"{problem} example nvidia.com/gpu", self.limits[resource])
        if self.replicas is not None:
            yield from self._mistakes_of_a_static_pool(self.replicas)

    def _mistakes_of_a_static_pool(self, replicas: int) -> Iterator[Mistake]:
        if self.weight is not None:
            problem = "a pool with replicas has none, as it waits for no pods: drop one of both"
            yield Mistake("weight", problem, self.weight)
        for resource in (resource for resource in self.limits if resource != "nodes"):
            problem = (
                "a pool with replicas is limited by nodes only: drop it, or write limits.nodes"
            )
            yield Mistake(f"limits.{resource}", problem, self.limits[resource])
        most = self.limits.get("nodes", "")
        if most.isdigit() and int(most) < replicas:
            problem = f"lies below replicas, {replicas}: raise it, or drop it"
            yield Mistake("limits.nodes", problem, most)


def node_pool_spec(
    config: NodePoolConfig, window: DisruptionWindowConfig | None = None
) -> dict[str, Any]:
    """The `spec` of a NodePool, with every default that matters written out.

    `window` is the one for all pools; it becomes the last of the budgets.
    """
    template: dict[str, Any] = {
        "nodeClassRef": NODE_CLASS_KIND | {"name": config.node_class},
        "requirements": requirements(config),
        "expireAfter": config.expire_after,
        "terminationGracePeriod": config.termination_grace_period,
    }
    if config.taints:
        template["taints"] = [taint.taint() for taint in config.taints]
    if config.startup_taints:
        template["startupTaints"] = [taint.taint() for taint in config.startup_taints]
    spec: dict[str, Any] = {
        "template": {"spec": template},
        "disruption": config.disruption.disruption(window),
    }
    named = {"labels": dict(config.labels), "annotations": dict(config.annotations)}
    metadata = {key: mapping for key, mapping in named.items() if mapping}
    if metadata:
        spec["template"]["metadata"] = metadata
    if config.limits:
        spec["limits"] = dict(config.limits)
    if config.weight:
        spec["weight"] = config.weight
    if config.replicas is not None:
        spec["replicas"] = config.replicas
    return spec
