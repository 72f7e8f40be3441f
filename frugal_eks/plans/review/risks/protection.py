"""Finds protection from deletion, data loss or exposure that is removed."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from frugal_eks.plans.json_values import last_name, shown, texts
from frugal_eks.plans.previews import UNKNOWN, Change, Preview
from frugal_eks.plans.previews.markdown import code, codes
from frugal_eks.plans.review.differences import ABSENT, Difference, compare
from frugal_eks.plans.review.risk import Concern, Risk, is_reviewed, kind

# Properties of any type, by name.
_GUARDS = {
    "deletionProtection",
    "deletionProtectionEnabled",
    "enableDeletionProtection",
    "terminationProtection",
    "enableTerminationProtection",
    "disableApiTermination",
    "disableApiStop",
    "protectFromScaleIn",
    "preventDestroy",
    "preventDeletion",
    "skipDestroy",
    "objectLockEnabled",
    "encrypted",
    "storageEncrypted",
    "atRestEncryptionEnabled",
    "transitEncryptionEnabled",
    "encryptAtRest",
    "enableKeyRotation",
    "sqsManagedSseEnabled",
}
_DANGERS = {
    "forceDestroy",
    "forceDelete",
    "skipFinalSnapshot",
    "deleteOnTermination",
    "bypassPolicyLockoutSafetyCheck",
    "privileged",
    "hostNetwork",
    "hostPID",
    "allowPrivilegeEscalation",
}
# Days, seconds or copies: the fewer, the less is kept. With what holds where none is given.
_SPANS: Mapping[str, float] = {
    "deletionWindowInDays": 30,
    "recoveryWindowInDays": 30,
    "backupRetentionPeriod": 0,
    "retentionInDays": math.inf,
    "messageRetentionSeconds": 345_600,
    "snapshotRetentionLimit": 0,
}
_WORDS: Mapping[str, str] = {
    "httpTokens": "required",
    "status": "Enabled",
    "reclaimPolicy": "Retain",
    "persistentVolumeReclaimPolicy": "Retain",
    "helm.sh/resource-policy": "keep",
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}
"""Values that protect, by property."""
_KINDS: Mapping[str, str] = {
    "PodDisruptionBudget": "its pods may all be evicted at once",
    "ManagementLock": "what it locked can be deleted",
    "Lock": "what it locked can be deleted",
    "BucketVersioning": "what is overwritten is lost",
    "BucketVersioningV2": "what is overwritten is lost",
    "BucketObjectLockConfiguration": "objects can be deleted before their time",
    "LifecycleHook": "instances end without waiting to be drained",
    "ResourceQuota": "its namespace may take everything",
    "ValidatingAdmissionPolicy": "what it refused is let in",
    "ValidatingAdmissionPolicyBinding": "what it refused is let in",
    "ValidatingWebhookConfiguration": "what it refused is let in",
    "WebAclAssociation": "requests are no longer filtered",
    "BackupPlan": "no backups are made",
    "Plan": "no backups are made",
}
"""Kinds that protect by their existence."""


def find(preview: Preview) -> Iterator[Risk]:
    """Risks of all resources, unchanged ones too: Pulumi's own `protect` is not a property."""
    gone = {change.urn for change in preview.changes if change.operation == "delete"}
    for change in preview.changes:
        if is_reviewed(change):
            texts = [*_of_pulumi(change), *_properties(change), *_deleted(change, gone)]
            yield from (Risk(Concern.PROTECTION, change, text) for text in texts)


def _of_pulumi(change: Change) -> Iterator[str]:
    old, new = change.old, change.new
    if not old:
        return
    if old.protect and not (new and new.protect):
        yield "is no longer protected from deletion (`protect`)"
    if new and old.retain_on_delete and not new.retain_on_delete:
        yield "would now be deleted with the stack (`retainOnDelete`)"


def _properties(change: Change) -> Iterator[str]:
    if not (change.old and change.new):
        return
    for difference in compare(change.old.inputs, change.new.inputs):
        for leaf in _leaves(difference):
            yield from _leaf(leaf, change)


def _leaf(difference: Difference, change: Change) -> Iterator[str]:
    name = last_name(difference.path)
    if difference.new == UNKNOWN:
        return
    for words, lost in _LOST:
        if lost(name, difference):
            yield f"has {code(difference.path)} {_now(difference)}{words}"
            return
    if name == "finalizers":
        if lost := texts(difference.old) or texts([difference.old]):
            yield f"loses the finalizer {codes(lost)}"
    elif kind(change) == "PodDisruptionBudget" and name in {"minAvailable", "maxUnavailable"}:
        change_of = f"{code(difference.path)} {_now(difference)}"
        yield f"has {change_of}: look whether more pods may go at once"


def _guard(name: str, difference: Difference) -> bool:
    return name in _GUARDS and _true(difference.old) and not _true(difference.new)


def _danger(name: str, difference: Difference) -> bool:
    return name in _DANGERS and _true(difference.new) and not _true(difference.old)


def _span(name: str, difference: Difference) -> bool:
    if name not in _SPANS:
        return False
    return _number(difference.new, _SPANS[name]) < _number(difference.old, _SPANS[name])


def _word(name: str, difference: Difference) -> bool:
    if name == "status" and "versioning" not in difference.path.lower():
        return False
    return name in _WORDS and str(difference.old).lower() == _WORDS[name].lower()


_LOST: tuple[tuple[str, Callable[[str, Difference], bool]], ...] = (
    (": it is protected no more", _guard),
    (": it takes more along when it goes, or may do more", _danger),
    (": less is kept", _span),
    (": it is protected no more", _word),
)


def _deleted(change: Change, gone: set[str]) -> Iterator[str]:
    loss = _KINDS.get(kind(change))
    if (
        loss
        and change.operation == "delete"
        and change.old
        and not gone & {*change.old.dependencies}
    ):
        yield f"is deleted: {loss}"


def _leaves(difference: Difference) -> Iterator[Difference]:
    """Splits a difference into single values, for objects that come or go whole; not for elements
    of lists.
    """
    for side, is_old in ((difference.old, True), (difference.new, False)):
        if isinstance(side, Mapping) and not difference.path.endswith("]"):
            for inner in (
                compare(side, {}, difference.path) if is_old else compare({}, side, difference.path)
            ):
                yield from _leaves(inner)
            return
    yield difference


def _now(difference: Difference) -> str:
    if difference.new is ABSENT:
        return "no longer"
    old = "" if difference.old is ABSENT else f" instead of {code(shown(difference.old))}"
    return f"{code(shown(difference.new))}{old}"


def _true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _number(value: Any, default: float) -> float:
    try:
        # No days at all are all days, of logs.
        return float(value) or (math.inf if default == math.inf else 0)
    except (TypeError, ValueError):
        return default
