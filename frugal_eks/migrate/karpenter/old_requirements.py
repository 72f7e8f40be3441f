"""Converts requirements of a Provisioner v1alpha5, with the defaults of its webhook."""

from collections.abc import Mapping, Sequence
from typing import Any

from components.ec2.labels import (
    ARCHITECTURE,
    CAPACITY_TYPE,
    CATEGORY,
    GENERATION,
    INSTANCE_TYPE,
    OS,
)
from components.karpenter.requirements import (
    INSTANCE_KEYS,
)
from frugal_eks.migrate.karpenter.choice import put_choice, short_forms
from frugal_eks.migrate.karpenter.part import Part

POOL_LABEL = "karpenter.sh/provisioner-name"
POOL_LABEL_GONE = "Karpenter puts karpenter.sh/nodepool on its nodes by itself: select by that"
_GONE = {
    POOL_LABEL: POOL_LABEL_GONE,
    "karpenter.k8s.aws/instance-pods": (
        "no node has this label any more: bound the pods of a node by the class's kubelet.maxPods"
    ),
}
RENAMED = {
    "beta.kubernetes.io/arch": ARCHITECTURE,
    "beta.kubernetes.io/os": OS,
    "beta.kubernetes.io/instance-type": INSTANCE_TYPE,
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.ebs.csi.aws.com/zone": "topology.kubernetes.io/zone",
}
"""Current labels by old names that the old API accepted for them."""

_UNASKED = "the old API added it unasked"
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")

# Gte 3 is the webhook's Gt 2, and has a short form.
_ADDED = (
    {"key": CAPACITY_TYPE, "operator": "In", "values": ["on-demand"]},
    {"key": ARCHITECTURE, "operator": "In", "values": ["amd64"]},
    {"key": CATEGORY, "operator": "In", "values": ["c", "m", "r"]},
    {"key": GENERATION, "operator": "Gte", "values": ["3"]},
)
"""Requirements that the webhook added if the key was absent; the package itself adds linux."""


def put_requirements(
    part: Part, given: Sequence[Mapping[str, Any]], labels: Mapping[str, str]
) -> None:
    """Puts the requirements of a valid spec, and all webhook defaults, into the pool."""
    kept: list[dict[str, Any]] = []
    for number, requirement in enumerate(given):
        path = f"spec.requirements[{number}]"
        reason = _refused(requirement)
        if reason:
            part.leave(path, reason, requirement)
            continue
        values = list(requirement.get("values") or [])
        operator = requirement["operator"]
        if operator == "NotIn" and not values:
            part.leave(path, "excludes nothing: drop it", requirement)
            continue
        if operator in ("Exists", "DoesNotExist") and values:
            text = f"the old API did not look at values of {operator}: drop them"
            part.leave(f"{path}.values", text, values)
            values = []
        key = RENAMED.get(requirement["key"], requirement["key"])
        kept.append({"key": key, "operator": operator} | ({"values": values} if values else {}))

    added = _added({requirement["key"] for requirement in kept}, labels)
    others = put_choice(part, [*kept, *added], labels)
    for name in short_forms(added):
        more = "; the package takes spot too" if name == "capacityTypes" else ""
        part.say(_UNASKED + more, name)
    for number, requirement in enumerate(others):
        old = {name for name, key in RENAMED.items() if key == requirement["key"]}
        if old.intersection(each.get("key") for each in given):
            part.say("by its present name", "requirements", number)


def _added(given_keys: set[str], labels: Mapping[str, str]) -> list[Mapping[str, Any]]:
    # The webhook did not look at labels. Here a label and a short form of one key cannot stand
    # together, and the label says what the node is.
    known = given_keys | labels.keys()
    of_instances = INSTANCE_KEYS if known.intersection(INSTANCE_KEYS) else ()
    return [each for each in _ADDED if each["key"] not in {*known, *of_instances}]


def _refused(requirement: Mapping[str, Any]) -> str | None:
    """Reason why a requirement cannot be carried over; None if it can."""
    if missing := [each for each in ("key", "operator") if each not in requirement]:
        return f"has no {' and no '.join(missing)}: a requirement names both"
    key, operator = requirement["key"], requirement["operator"]
    values: Sequence[str] = requirement.get("values") or []
    if key in _GONE:
        return _GONE[key]
    if operator not in _OPERATORS:
        return f"no such operator: write one of {', '.join(_OPERATORS)}"
    if operator == "In" and not values:
        return "In without values fits no node: list at least one"
    if operator in ("Gt", "Lt") and not (len(values) == 1 and values[0].isdigit()):
        return f'{operator} compares with one whole number: write it as text, for example ["4"]'
    return None
