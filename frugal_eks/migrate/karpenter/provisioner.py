"""Converts Provisioner v1alpha5 to a node pool, and its inline provider to a node class.

The old API removed no node by default, and its webhook added requirements; v1 removes and renews
nodes by default and adds nothing. Both differences are written out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.karpenter.crd_structure import as_map
from components.karpenter.node_pools import NodePoolConfig
from frugal_eks.migrate.karpenter import class_names, metadata, node_template, schemas
from frugal_eks.migrate.karpenter.class_names import (
    CLASS,
    DROPPED_KUBELET,
    OLD_CLASS,
    OLD_POOL,
    Shared,
)
from frugal_eks.migrate.karpenter.old_requirements import (
    POOL_LABEL,
    POOL_LABEL_GONE,
    put_requirements,
)
from frugal_eks.migrate.karpenter.part import Part
from frugal_eks.migrate.notes import Context, Converted
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_HOUR = 3600
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_FORCEFUL = "drains now whatever the budgets say, and before a new node is there"
_NEW = "new: the old API drained for as long as pods refused to go"


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is a Provisioner."""
    return class_names.is_a(document, OLD_POOL)


def convert_provisioner(source: Reader, context: Context) -> Converted:
    """Converts to a pool; also to a class, if the provider is inline or the template is absent."""
    sections = Sections()
    sections.leave(metadata.take_object(source))
    spec, broken = schemas.checked("Provisioner", source.take("spec", {}))
    sections.leave(broken)
    pool = Part(sections, "nodePools", class_names.name_of(source.value))

    _put_class(pool, spec, source.value, context)
    labels = _put_names(pool, spec)
    put_requirements(pool, spec.get("requirements") or [], labels)
    for key in ("taints", "startupTaints"):
        _put_taints(pool, key, spec.get(key) or [])
    _put_limits(pool, spec)
    _put_removal(pool, spec)
    return sections.converted()


def _put_class(
    pool: Part, spec: Mapping[str, Any], document: Mapping[str, Any], context: Context
) -> None:
    """Puts the reference to the class, and the class itself unless a template becomes it."""
    name = class_names.name_of(document)
    template = class_names.template_of(document)
    kubelet = class_names.kubelet(document)
    reference: Mapping[str, Any] = spec.get("providerRef") or {}
    if reference.get("kind", OLD_CLASS[1]) != OLD_CLASS[1]:
        text = f"only {OLD_CLASS[1]} has a place here: give the class by its name"
        pool.leave("spec.providerRef.kind", text, reference["kind"])
    if template is None:
        own = class_names.inline_class_of(document, context.documents)
        _put_own_class(pool, own, spec, Shared(own, kubelet, [name]), context)
    else:
        if "provider" in spec:
            text = "providerRef stands beside it, which the old API refused: drop one of both"
            pool.leave("spec.provider", text, spec["provider"])
        _put_reference(pool, name, template, context)
    runtime = as_map(spec.get("kubeletConfiguration")).get(DROPPED_KUBELET)
    if runtime not in (None, "containerd"):
        text = "containerd is the only runtime now: see whether the pods need another"
        pool.leave(f"spec.kubeletConfiguration.{DROPPED_KUBELET}", text, runtime)


def _put_own_class(
    pool: Part, name: str, spec: Mapping[str, Any], shared: Shared, context: Context
) -> None:
    pool.put("nodeClass", name)
    if "provider" not in spec:
        _stand_in(pool, shared)
        text = "neither providerRef nor provider, which the old API refused: give one"
        pool.leave("spec.providerRef", text)
        return
    provider, broken = schemas.checked("AWSNodeTemplate", spec["provider"], "spec.provider")
    pool.sections.leave(broken)
    node_template.put_class(pool.sections, provider, shared, context, "spec.provider")


def _put_reference(pool: Part, name: str, template: str, context: Context) -> None:
    shared = class_names.classes_of(template, context.documents)
    mine = next((candidate for candidate in shared if name in candidate.pools), shared[0])
    is_old = class_names.has(OLD_CLASS, template, context.documents)
    if not is_old and class_names.has(CLASS, template, context.documents):
        pool.put("nodeClass", template)
        if mine.kubelet:
            text = f"is the class's now: put it into spec.kubelet of {CLASS[1]} {template}"
            pool.leave("spec.kubeletConfiguration", text, mine.kubelet)
        return
    other = mine.name != template
    comment = f"a class of its own: its kubelet settings are not those of {template}"
    pool.put("nodeClass", mine.name, comment if other else "")
    if not is_old:
        _stand_in(pool, mine)
        text = f"{OLD_CLASS[1]} {template} is not among the files: give its file too"
        pool.leave("spec.providerRef.name", text, template)


def _stand_in(pool: Part, shared: Shared) -> None:
    """Puts a class with nothing but defaults, since every pool must have one."""
    node_template.put_stand_in(Part(pool.sections, "nodeClasses", shared.name), shared)


def _put_names(pool: Part, spec: Mapping[str, Any]) -> Mapping[str, str]:
    """Puts labels and annotations of the nodes; returns the labels."""
    kept: dict[str, dict[str, str]] = {}
    for key in ("labels", "annotations"):
        given: Mapping[str, str] = spec.get(key) or {}
        kept[key] = {name: value for name, value in given.items() if name != POOL_LABEL}
        if POOL_LABEL in given:
            pool.leave(f"spec.{key}.{POOL_LABEL}", POOL_LABEL_GONE, given[POOL_LABEL])
        present = metadata.renamed(kept[key])
        if present:
            pool.put(key, present)
        for name in present.keys() - kept[key].keys():
            pool.say("by its present name", key, name)
    return kept["labels"]


def _put_taints(pool: Part, key: str, taints: Sequence[Mapping[str, Any]]) -> None:
    kept: list[dict[str, str]] = []
    for number, taint in enumerate(taints):
        path = f"spec.{key}[{number}]"
        if taint["effect"] not in _EFFECTS:
            text = f"no such effect: write one of {', '.join(_EFFECTS)}"
            pool.leave(f"{path}.effect", text, taint["effect"])
            continue
        if "timeAdded" in taint:
            text = "Kubernetes sets it on the node: drop it"
            pool.leave(f"{path}.timeAdded", text, taint["timeAdded"])
        value = {"value": taint["value"]} if taint.get("value") else {}
        kept.append({"key": taint["key"], **value, "effect": taint["effect"]})
    if kept:
        pool.put(key, kept)


def _put_limits(pool: Part, spec: Mapping[str, Any]) -> None:
    resources = as_map(as_map(spec.get("limits")).get("resources"))
    if resources:
        pool.put("limits", {name: str(amount) for name, amount in resources.items()})
    if "weight" in spec:
        pool.put("weight", spec["weight"])


def _put_removal(pool: Part, spec: Mapping[str, Any]) -> None:
    """Puts when nodes are removed: expiry, drain limit and disruption."""
    expiry = _seconds(pool, spec, "ttlSecondsUntilExpired")
    if expiry is None:
        comment = "as before, where nothing said so; v1 by itself takes 720h"
        pool.put("expireAfter", "Never", comment)
    else:
        hours = expiry >= _HOUR and expiry % _HOUR == 0
        age = f"{expiry // _HOUR}h" if hours else f"{expiry}s"
        pool.put("expireAfter", age, _FORCEFUL)
    defaults = NodePoolConfig(node_class="")
    pool.put("terminationGracePeriod", defaults.termination_grace_period, _NEW)

    policy, after, comment = _consolidation(pool, spec)
    pool.put("disruption", {"consolidationPolicy": policy, "consolidateAfter": after})
    pool.say(comment, "disruption", "consolidateAfter")
    budgets = [budget.budget() for budget in defaults.disruption.budgets]
    pool.values["disruption"]["budgets"] = budgets
    comment = (
        "new: so many nodes at once; changed nodes are replaced too now, which a budget with "
        "reasons: [Drifted] can slow down"
    )
    pool.say(comment, "disruption", "budgets")


def _consolidation(pool: Part, spec: Mapping[str, Any]) -> tuple[str, str, str]:
    """Consolidation policy, its delay, and a comment on the change."""
    enabled = as_map(spec.get("consolidation")).get("enabled") is True
    empty = _seconds(pool, spec, "ttlSecondsAfterEmpty")
    if enabled and empty is not None:
        text = (
            "stands beside consolidation.enabled, which the old API refused: for "
            f"ttlSecondsAfterEmpty write consolidationPolicy WhenEmpty, consolidateAfter {empty}s; "
            "for consolidation WhenEmptyOrUnderutilized, 0s"
        )
        pool.leave("spec.ttlSecondsAfterEmpty", text, empty)
        comment = "no node is taken away until you choose: see what is left"
        return "WhenEmpty", "Never", comment
    if empty is not None:
        comment = "was ttlSecondsAfterEmpty; each pod that comes or goes starts it anew"
        return "WhenEmpty", f"{empty}s", comment
    if enabled:
        comment = "no wait, as before; a longer one spares nodes whose pods come and go"
        return "WhenEmptyOrUnderutilized", "0s", comment
    return "WhenEmpty", "Never", "as before, where nothing said so; v1 by itself takes nodes away"


def _seconds(pool: Part, spec: Mapping[str, Any], key: str) -> int | None:
    """A number of seconds; None if it is absent, or negative, which the old webhook refused."""
    number = spec.get(key)
    if number is None:
        return None
    if number < 0:
        pool.leave(f"spec.{key}", "cannot be negative: correct it or drop it", number)
        return None
    return int(number)
