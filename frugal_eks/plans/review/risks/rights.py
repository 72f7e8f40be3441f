"""Finds rights granted without a statement: attached policies, boundaries, cluster access."""

import re
from collections.abc import Iterator
from typing import Any

from frugal_eks.plans.json_values import mapping, texts
from frugal_eks.plans.previews import UNKNOWN, Change, Preview, Resource
from frugal_eks.plans.previews.markdown import code, codes
from frugal_eks.plans.review.risk import Concern, Risk, changed
from frugal_eks.plans.review.risks.documents import POLICY
from frugal_eks.plans.review.risks.policies import ATTACHMENTS, Accounts

ACCESS_POLICY = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
ACCESS_ENTRY = "aws:eks/accessEntry:AccessEntry"
PERMISSION = "aws:lambda/permission:Permission"
_OF_ALL = re.compile(
    r"arn:[^:]+:iam::aws:policy/(?:.*/)?(AdministratorAccess.*|PowerUserAccess|IAMFullAccess|.*FullAccess)"
)
_ADMINISTRATOR = re.compile(r".*:cluster-access-policy/AmazonEKS(Cluster)?AdminPolicy")
_OWNERS = ("role", "user", "group")


def find(preview: Preview) -> Iterator[Risk]:
    """Rights that a change grants; for new roles only unlimited ones."""
    accounts = Accounts.of(preview)
    had = {pair for resource in preview.before for pair in _attached(resource)}
    clusters = {
        change.new.inputs.get("name")
        for change in preview.changes
        if change.new and change.operation == "create" and change.type == "aws:eks/cluster:Cluster"
    }
    for change in changed(preview):
        findings = [
            *_attachments(change, preview, accounts, had),
            *_boundary(change),
            *_access(change, clusters),
            *_callers(change),
        ]
        yield from (Risk(Concern.RIGHTS, change, text) for text in findings)


def _attachments(
    change: Change, preview: Preview, accounts: Accounts, had: set[tuple[str, str]]
) -> Iterator[str]:
    for name, policy in _attached(change.new):
        shown = _named(change, policy, preview)
        if (name, policy) in had:
            continue
        if accounts.has(name):
            yield f"gives {code(name)} the policy {shown} as well"
        elif _OF_ALL.fullmatch(policy):
            yield f"gives the new {code(_shown(name))} the policy {shown}, which is without bounds"


def _attached(resource: Resource | None) -> Iterator[tuple[str, str]]:
    if not resource:
        return
    given = resource.inputs
    if resource.type in ATTACHMENTS:
        name = next((given[key] for key in _OWNERS if isinstance(given.get(key), str)), UNKNOWN)
        yield name, str(given.get("policyArn", ""))
    elif resource.type == "aws:iam/policyAttachment:PolicyAttachment":
        for key in ("roles", "users", "groups"):
            for name in texts(given.get(key)):
                yield name, str(given.get("policyArn", ""))
    elif resource.type == "aws:iam/role:Role":
        for policy in texts(given.get("managedPolicyArns")):
            yield str(given.get("name", UNKNOWN)), policy


def _named(change: Change, policy: str, preview: Preview) -> str:
    if policy != UNKNOWN:
        return code(policy)
    assert change.new
    resources = [preview.by_urn.get(urn) for urn in change.new.dependencies]
    return (
        codes([resource.name for resource in resources if resource and resource.type == POLICY])
        or "known after up"
    )


def _boundary(change: Change) -> Iterator[str]:
    if not (change.old and change.new):
        return
    was, now = (side.inputs.get("permissionsBoundary") for side in (change.old, change.new))
    if was and was != now:
        yield f"`permissionsBoundary` {code(str(was))} " + (
            f"gives way to {code(_shown(now))}" if now else "is removed"
        )


def _access(change: Change, clusters: set[Any]) -> Iterator[str]:
    if not change.new or change.operation not in {"create", "update", "replace", "import"}:
        return
    given = change.new.inputs
    cluster = given.get("clusterName")
    is_new = cluster == UNKNOWN or cluster in clusters
    if change.type == ACCESS_POLICY:
        old = mapping(change.old.inputs if change.old else None)
        same = all(
            old.get(key) == given.get(key) for key in ("principalArn", "policyArn", "accessScope")
        )
        if not same and not is_new:
            policy = _shown(given.get("policyArn"))
            word = " (administrator)" if _ADMINISTRATOR.fullmatch(policy) else ""
            principal = code(_shown(given.get("principalArn")))
            yield f"gives {principal} {code(policy)}{word} in {code(_shown(cluster))}"
    if change.type == ACCESS_ENTRY and not is_new:
        had = texts(change.old.inputs.get("kubernetesGroups")) if change.old else []
        if more := [group for group in texts(given.get("kubernetesGroups")) if group not in had]:
            yield f"puts {code(_shown(given.get('principalArn')))} into the groups {codes(more)}"


def _callers(change: Change) -> Iterator[str]:
    if change.type == PERMISSION and change.new and change.operation in {"create", "replace"}:
        given = change.new.inputs
        caller, function = (code(_shown(given.get(key))) for key in ("principal", "function"))
        if not (given.get("sourceArn") or given.get("sourceAccount")):
            yield f"lets {caller} call {function} from any account and source"


def _shown(value: Any) -> str:
    return "known after up" if value in (None, UNKNOWN) else str(value)
