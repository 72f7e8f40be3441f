"""The session that is replayed, and how a stack file is narrowed for its beginning."""

import copy
from dataclasses import dataclass
from typing import Any, cast

from rehearsal.stack_file import PROJECT, StackFile

KARPENTER = f"{PROJECT}:karpenter"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
BOTH = {"spot", "on-demand"}
NARROW = ["on-demand"]


@dataclass(frozen=True)
class SessionStep:
    """A change of the cluster, with a wait until it has come to rest."""

    title: str
    replicas: int | None = None
    """Replicas of the workload; None for an `up` of the stack file as it is."""


SESSION = (
    SessionStep("3 pods", 3),
    SessionStep("10 pods", 10),
    SessionStep("6 pods", 6),
    SessionStep("3 pods", 3),
    SessionStep("10 pods", 10),
    SessionStep("spot added"),
    SessionStep("3 pods", 3),
    SessionStep("0 pods", 0),
)
"""Session of the workshop that document 001 follows: pools begin with on-demand only."""


def pools_of_both(file: StackFile) -> list[str]:
    """Names of Karpenter's pools that allow spot and on-demand."""
    return [name for name, pool in _pools(file.config).items() if _allows_both(pool)]


def narrowed(file: StackFile) -> dict[str, Any]:
    """Settings with which these pools allow on-demand only; empty if there are none."""
    names = pools_of_both(file)
    if not names:
        return {}
    config: dict[str, Any] = {KARPENTER: copy.deepcopy(file.config[KARPENTER])}
    for name in names:
        pool = _pools(config)[name]
        if "capacityTypes" in pool:
            pool["capacityTypes"] = NARROW
        for requirement in _about_capacity(pool):
            requirement["values"] = NARROW
    return config


def _pools(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    pools = _mapping(_mapping(config.get(KARPENTER)).get("nodePools"))
    return {name: pool for name, pool in pools.items() if isinstance(pool, dict)}


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _allows_both(pool: dict[str, Any]) -> bool:
    lists = [
        pool.get("capacityTypes"),
        *(requirement.get("values") for requirement in _about_capacity(pool)),
    ]
    listed = [cast("list[str]", values) for values in lists if isinstance(values, list)]
    return any(set(values) >= BOTH for values in listed)


def _about_capacity(pool: dict[str, Any]) -> list[dict[str, Any]]:
    listed = pool.get("requirements")
    requirements = cast("list[object]", listed) if isinstance(listed, list) else []
    return [
        requirement
        for requirement in map(_mapping, requirements)
        if requirement.get("key") == CAPACITY_TYPE and requirement.get("operator") == "In"
    ]
