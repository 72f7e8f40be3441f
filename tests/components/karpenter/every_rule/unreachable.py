"""Rules of the CRDs that no stack file can break, and why. Printed for the documentation by

python -m tests.components.karpenter.every_rule.unreachable
"""

import copy
from typing import Any, NamedTuple


class Unreachable(NamedTuple):
    """Why, and objects that break the rule: as it would be, and as it is now."""

    why: str
    objects: tuple[dict[str, Any], dict[str, Any] | None]


_CLASS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
_POOL: dict[str, Any] = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "default"},
    "spec": {"template": {"spec": {"nodeClassRef": _CLASS, "requirements": []}}},
}
_WRITTEN_BY_US = "the stack file names a class of this stack; group and kind are always the same"
_CHANGE = "only the cluster knows the object as it is now: the API server refuses the update"


def _pool(*, replicas: int | None = None, **class_ref: str) -> dict[str, Any]:
    pool = copy.deepcopy(_POOL)
    pool["spec"]["template"]["spec"]["nodeClassRef"] |= class_ref
    return pool if replicas is None else pool | {"spec": pool["spec"] | {"replicas": replicas}}


_REF = "spec.template.spec.nodeClassRef"
RULES: dict[tuple[str, str, str], Unreachable] = {
    ("NodePool", f"{_REF}.group", "group may not be empty"): Unreachable(
        _WRITTEN_BY_US, (_pool(group=""), None)
    ),
    ("NodePool", f"{_REF}.kind", "kind may not be empty"): Unreachable(
        _WRITTEN_BY_US, (_pool(kind=""), None)
    ),
    ("NodePool", _REF, "nodeClassRef.group is immutable"): Unreachable(
        _WRITTEN_BY_US, (_pool(group="example.com"), _POOL)
    ),
    ("NodePool", _REF, "nodeClassRef.kind is immutable"): Unreachable(
        _WRITTEN_BY_US, (_pool(kind="Other"), _POOL)
    ),
    (
        "NodePool",
        "spec",
        "Cannot transition NodePool between static (replicas set) and dynamic (replicas unset)"
        " provisioning modes",
    ): Unreachable(_CHANGE, (_pool(replicas=2), _POOL)),
}

_FLAT = "the stack file has these fields side by side, without the manifest's sections"
_DEFAULT = "where the stack file says nothing, a default is written out"
_TEMPLATE = "spec.template"
_TIME = "a time of nodes, not of pools: the stack file has no such key"
CONSTRAINTS: dict[tuple[str, str, str], str] = {
    ("EC2NodeClass", "spec", "type"): _FLAT,
    ("EC2NodeClass", "spec.securityGroupSelectorTerms", "required"): _DEFAULT,
    ("EC2NodeClass", "spec.subnetSelectorTerms", "required"): _DEFAULT,
    ("NodePool", "spec", "type"): _FLAT,
    ("NodePool", "spec.disruption.budgets[].nodes", "required"): _DEFAULT,
    ("NodePool", "spec.disruption.consolidateAfter", "required"): _DEFAULT,
    ("NodePool", _TEMPLATE, "required"): _FLAT,
    ("NodePool", _TEMPLATE, "type"): _FLAT,
    ("NodePool", f"{_TEMPLATE}.metadata", "type"): _FLAT,
    ("NodePool", f"{_TEMPLATE}.spec", "required"): _FLAT,
    ("NodePool", f"{_TEMPLATE}.spec", "type"): _FLAT,
    ("NodePool", f"{_TEMPLATE}.spec.requirements", "required"): _DEFAULT,
    ("NodePool", f"{_TEMPLATE}.spec.startupTaints[].timeAdded", "type"): _TIME,
    ("NodePool", f"{_TEMPLATE}.spec.taints[].timeAdded", "type"): _TIME,
    **{
        ("NodePool", f"{_REF}{field}", keyword): _WRITTEN_BY_US
        for field, keyword in (
            ("", "required"),
            ("", "type"),
            (".group", "pattern"),
            (".group", "required"),
            (".group", "type"),
            (".kind", "required"),
            (".kind", "type"),
            (".name", "required"),
            (".name", "type"),
        )
    },
}
"""The same of what the schemas say of each field: place, keyword, why."""

if __name__ == "__main__":
    for (kind, where, message), rule in RULES.items():
        print(f"{kind} {where}: {message}\n    {rule.why}")
    for (kind, where, keyword), why in CONSTRAINTS.items():
        print(f"{kind} {where}: {keyword}\n    {why}")
