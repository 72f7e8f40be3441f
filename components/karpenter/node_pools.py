"""NodePool: which nodes Karpenter may launch, how many, and when it removes them."""

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
    """A pool of nodes of one kind. Spot prices are a third to a tenth of on-demand; the limits
    bound what this pool can cost.
    """

    node_class: str
    """Name of the pool's node class, a key of `nodeClasses`."""
    replicas: int | None = Field(default=None, ge=0)
    """Keeps this number of nodes regardless of pods: a static pool. Absent: nodes come and go with
    pods. A pool cannot change from one to the other; give the new pool another name.
    """
    weight: int | None = Field(default=None, ge=1, le=100)
    """Rank of the pool: of all pools that fit, Karpenter tries the heaviest first. Absent counts as
    0.
    """
    limits: Mapping[LabelKey, Quantity] = {}
    """Most resources of all nodes together: cpu, memory, any other resource, or `nodes`, their
    number. An absent resource has no limit.
    """
    annotations: Mapping[LabelKey, str] = {}
    """Annotations of the nodes, for example `karpenter.sh/do-not-disrupt`."""
    taints: tuple[TaintConfig, ...] = ()
    """Taints of the nodes, which keep pods without the matching toleration away."""
    startup_taints: tuple[TaintConfig, ...] = ()
    """Taints that another program removes once the node is ready. Pods wait for that, but Karpenter
    launches no further node for them.
    """
    expire_after: DurationOrNever = "720h"
    """Age at which nodes are replaced, whatever the budgets say."""
    termination_grace_period: GracePeriod = "30m"
    """Longest time of a drain; after it pods are removed, whatever their disruption budget says. It
    also limits how long a destroy takes.
    """
    disruption: DisruptionConfig = DisruptionConfig()
    """When nodes are removed or replaced by cheaper ones, and how many at once."""

    @model_validator(mode="before")
    @classmethod
    def _is_of_this_api(cls, pool: Any) -> Any:
        refuse(old_keys.of_a_pool(pool))
        return pool

    @property
    def is_static(self) -> bool:
        """True if the pool keeps a fixed number of nodes, for which Karpenter needs a feature
        gate.
        """
        return self.replicas is not None

    def mistakes(self) -> Iterator[Mistake]:
        """Taints must differ, limits must name resources of nodes, and a static pool takes only its
        own keys.
        """
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

    `window` is the disruption window of all pools; it becomes the last budget.
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
