"""Finds Kubernetes RBAC rules that allow more, and new subjects of bindings."""

from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.plans.json_values import elements, mapping
from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.previews.markdown import code, codes
from frugal_eks.plans.review.risk import Concern, Risk, changed, kind
from frugal_eks.plans.review.risks.statements import NOBODY, Statement, Terms, more

_ROLES = {"Role", "ClusterRole"}
_BINDINGS = {"RoleBinding", "ClusterRoleBinding"}


def find(preview: Preview) -> Iterator[Risk]:
    """For existing roles everything added; for new ones only unlimited rights."""
    for change in changed(preview):
        if not change.new or not change.type.startswith("kubernetes:rbac.authorization.k8s.io/"):
            continue
        texts = _rules(change) if kind(change) in _ROLES else _subjects(change)
        yield from (Risk(Concern.RIGHTS, change, text) for text in texts)


def _rules(change: Change) -> Iterator[str]:
    assert change.new
    had = (
        [_rule(old_rule) for old_rule in _list(change.old.inputs.get("rules"))]
        if change.old
        else []
    )
    for given in _list(change.new.inputs.get("rules")):
        rule = _rule(given)
        if change.old and (parts := more(rule, had)):
            verbs = dict.fromkeys(name for part in parts for name in sorted(part.actions.patterns))
            things = dict.fromkeys(
                name for part in parts for name in sorted(part.resources.patterns)
            )
            yield f"also allows {codes(verbs)} on {codes(things)}"
        elif not change.old and "*" in rule.actions.patterns and rule.resources.covers("*/*/*"):
            yield "allows everything on everything"


def _rule(given: Mapping[str, Any]) -> Statement:
    """An RBAC rule as a statement: verbs on group/resource/name."""
    groups, resources, names, addresses, verbs = (
        [str(item) for item in elements(given.get(key))]
        for key in ("apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs")
    )
    things = {
        f"{group}/{resource}/{name}"
        for group in groups or [""]
        for resource in resources
        for name in names or ["*"]
    }
    return Statement(
        "",
        "Allow",
        Terms(frozenset(verbs)),
        Terms(frozenset(things.union(addresses))),
        NOBODY,
        {},
    )


def _subjects(change: Change) -> Iterator[str]:
    assert change.new
    role = _name(change.new.inputs.get("roleRef"))
    had = (
        [_name(subject) for subject in _list(change.old.inputs.get("subjects"))]
        if change.old
        else []
    )
    if change.old and _name(change.old.inputs.get("roleRef")) != role:
        had = []
    added = [
        subject
        for subject in map(_name, _list(change.new.inputs.get("subjects")))
        if subject not in had
    ]
    if added and (change.old or "cluster-admin" in role):
        yield f"binds {codes(added)} to {code(role)}"


def _name(value: Any) -> str:
    if not isinstance(value, Mapping):
        return "known after up"
    given = mapping(value)
    parts = (given.get("kind"), given.get("namespace"), given.get("name"))
    return " ".join(str(part) for part in parts if part)


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [mapping(item) for item in elements(value)]
