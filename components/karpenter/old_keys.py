"""Keys of Karpenter's earlier APIs (v1alpha5, v1beta1) in a pool, and what to write instead."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ..kubernetes.quantities import duration
from ..section import Mistake

LABELS: Mapping[str, str] = {
    "karpenter.sh/provisioner-name": (
        "Karpenter puts karpenter.sh/nodepool on its nodes by itself: drop it"
    ),
    "karpenter.k8s.aws/instance-pods": (
        "is gone, and maxPods under the class's kubelet bounds the pods of a node: drop it"
    ),
    "beta.kubernetes.io/arch": "is the old name of kubernetes.io/arch: write that",
    "beta.kubernetes.io/os": "is the old name of kubernetes.io/os: write that",
    "beta.kubernetes.io/instance-type": (
        "is the old name of node.kubernetes.io/instance-type: write that"
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        "is the old name of topology.kubernetes.io/zone: write that"
    ),
    "failure-domain.beta.kubernetes.io/region": (
        "is the old name of topology.kubernetes.io/region: write that"
    ),
}
"""Old label keys, also in requirements, with what to do. Karpenter still reads the beta ones, but
then the defaults under the present name would be added, and no node might fit both.
"""

_ANNOTATIONS = ("karpenter.sh/do-not-consolidate", "karpenter.sh/do-not-evict")
_MANIFEST = ("apiVersion", "kind", "metadata", "spec", "template", "status")
_POLICIES = {"WhenUnderutilized": "WhenEmptyOrUnderutilized"}


def of_a_pool(pool: Any) -> Iterator[Mistake]:
    """Mistakes about keys of the old API in a pool, given as the stack file has it, before it is
    validated.
    """
    keys = _mapping(pool)
    for mistake in _of_its_disruption(keys.get("disruption")):
        yield mistake._replace(path=f"disruption.{mistake.path}")
    yield from _removals(keys, "disruption: {{{}}}")
    if "ttlSecondsUntilExpired" in keys:
        value = keys["ttlSecondsUntilExpired"]
        number = _seconds(value)
        age = "for example `expireAfter: 720h`"
        if number is not None:
            age = f"`expireAfter: {duration(number)}`"
        yield Mistake("ttlSecondsUntilExpired", f"is expireAfter now: write {age}", value)
    yield from _class(keys)
    resources = _mapping(keys.get("limits")).get("resources")
    if isinstance(resources, Mapping):
        problem = f"limits stand beside each other: write `limits: {_flow(_mapping(resources))}`"
        yield Mistake("limits.resources", problem)
    for key in (key for key in _MANIFEST if key in keys):
        problem = (
            "a pool has the keys of a manifest's spec, template.metadata and template.spec side by "
            "side: move them here, or convert the file with `./frugal-eks migrate FILE`"
        )
        yield Mistake(key, problem)
    for key in (key for key in _ANNOTATIONS if key in _mapping(keys.get("annotations"))):
        problem = (
            'is called karpenter.sh/do-not-disrupt now: write `karpenter.sh/do-not-disrupt: "true"`'
        )
        yield Mistake(f"annotations.{key}", problem)


def _of_its_disruption(disruption: Any) -> Iterator[Mistake]:
    keys = _mapping(disruption)
    yield from _removals(keys, "{}")
    policy = keys.get("consolidationPolicy")
    if isinstance(policy, str) and policy in _POLICIES:
        yield Mistake(
            "consolidationPolicy", f"is called {_POLICIES[policy]} now: write that", policy
        )
    for key in ("expireAfter", "ttlSecondsUntilExpired"):
        if key in keys:
            number = _seconds(keys[key])
            age = keys[key] if number is None or key == "expireAfter" else duration(number)
            problem = f"belongs to the pool: write `expireAfter: {age}` beside disruption"
            yield Mistake(key, problem, keys[key])


def _removals(keys: Mapping[str, Any], place: str) -> Iterator[Mistake]:
    """Mistakes about old keys that removed nodes. `place` is a format for writing the present keys
    from here.
    """
    consolidation, ttl = keys.get("consolidation"), keys.get("ttlSecondsAfterEmpty")
    enabled = _mapping(consolidation).get("enabled") is True
    number = _seconds(ttl)
    empty = f"consolidationPolicy: WhenEmpty, consolidateAfter: {30 if number is None else number}s"
    packed = "consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 0s"
    empty, packed, never = (
        f"`{place.format(each)}`" for each in (empty, packed, "consolidateAfter: Never")
    )
    if enabled and ttl is not None:
        problem = (
            "and consolidation.enabled are of the old API, which refuses both together: write "
            f"{empty} to take empty nodes only, or {packed} to pack the others together too"
        )
        yield Mistake("ttlSecondsAfterEmpty", problem, ttl)
        return
    if "ttlSecondsAfterEmpty" in keys:
        yield Mistake("ttlSecondsAfterEmpty", f"is of the old API: write {empty}", ttl)
    if "consolidation" in keys:
        other = "drop it" if "ttlSecondsAfterEmpty" in keys else f"write {never}"
        remedy = f"write {packed}" if enabled else other
        yield Mistake("consolidation", f"is of the old API: {remedy}", consolidation)


def _class(keys: Mapping[str, Any]) -> Iterator[Mistake]:
    """Mistakes about old keys that describe nodes, which belong to the node class today."""
    name = keys.get("nodeClass", "default")
    for key in (key for key in ("providerRef", "nodeClassRef") if key in keys):
        name = _mapping(keys[key]).get("name", name)
        yield Mistake(key, f"is nodeClass now: write `nodeClass: {name}`")
    if "provider" in keys:
        problem = f"is a class of its own now: write it as nodeClasses.{name}, and name it here by"
        yield Mistake("provider", f"{problem} `nodeClass: {name}`")
    for key in (key for key in ("kubeletConfiguration", "kubelet") if key in keys):
        problem = f"belongs to the class: move it to nodeClasses.{name}.kubelet"
        yield Mistake(key, problem)


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def _seconds(value: Any) -> int | None:
    is_number = isinstance(value, int | str) and not isinstance(value, bool)
    return int(value) if is_number and str(value).isdecimal() else None


def _flow(mapping: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in mapping.items()) + "}"
