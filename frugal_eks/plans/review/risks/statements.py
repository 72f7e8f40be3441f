"""Statements of a policy, and which of them allow more than others.

Compares only the documents: `*` and `?` as patterns, conditions as sets of values. In doubt a
statement counts as allowing more.
"""

import ipaddress
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from frugal_eks.plans.json_values import listed, mapping, statements

_ATOMS = 20_000
"""Maximum parts of a statement: AWS accepts no policy with more."""


@dataclass(frozen=True)
class Terms:
    """Values of one element of a statement."""

    patterns: frozenset[str]
    negated: bool = False
    """True for NotAction, NotResource and NotPrincipal: all but these patterns."""
    any_case: bool = False
    """True for actions, whose case IAM ignores."""

    def covers(self, pattern: str) -> bool:
        """True if these terms include all that the pattern matches."""
        if self.negated:
            return not any(
                self._covers(own, pattern) or self._covers(pattern, own) for own in self.patterns
            )
        return any(self._covers(own, pattern) for own in self.patterns)

    def covers_all(self, others: "Terms") -> bool:
        """True if these terms include all that the others include."""
        if not others.negated:
            return all(self.covers(pattern) for pattern in others.patterns)
        if self.negated:
            return all(any(self._covers(o, p) for o in others.patterns) for p in self.patterns)
        return "*" in self.patterns

    def _covers(self, wide: str, narrow: str) -> bool:
        return covers(wide.lower(), narrow.lower()) if self.any_case else covers(wide, narrow)


NOBODY = Terms(frozenset({""}))
"""Principals of a statement in an identity policy."""
Conditions = Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True)
class Statement:
    """One statement; absent elements match everything."""

    sid: str
    effect: Literal["Allow", "Deny"]
    actions: Terms
    resources: Terms
    principals: Terms
    """Principals such as `AWS:arn:…`, `Service:…`."""
    conditions: Conditions
    """Values by operator and key."""

    def parts(self) -> Iterator["Statement"]:
        """One statement for each action, resource and principal; the statement itself if they are
        too many.
        """
        sides = (self.actions, self.resources, self.principals)
        count = 1
        for side in sides:
            count *= 1 if side.negated else len(side.patterns)
        if count > _ATOMS:
            yield self
            return
        for action in _each(self.actions):
            for resource in _each(self.resources):
                for principal in _each(self.principals):
                    yield replace(self, actions=action, resources=resource, principals=principal)

    def covers(self, other: "Statement") -> bool:
        """True if this statement applies wherever the other does."""
        return (
            self.actions.covers_all(other.actions)
            and self.resources.covers_all(other.resources)
            and self.principals.covers_all(other.principals)
            and all(
                _met(condition, values, other.conditions)
                for condition, values in self.conditions.items()
            )
        )


def more(statement: Statement, by: Iterable[Statement]) -> list[Statement]:
    """Parts of the statement that none of the others covers."""
    others = [other for other in by if other.effect == statement.effect]
    if any(other.covers(statement) for other in others):
        return []
    return [part for part in statement.parts() if not any(other.covers(part) for other in others)]


def read(document: Mapping[str, Any]) -> list[Statement]:
    """Statements of a policy document; anything else is skipped."""
    return [_statement(statement) for statement in statements(document)]


@lru_cache(maxsize=100_000)
def covers(wide: str, narrow: str) -> bool:
    """True if the pattern `wide` (`*` and `?`) matches all that the pattern `narrow` matches."""
    # As a pattern matches a text, where a star of the text is matched by a star alone.
    i = j = 0
    star, mark = -1, 0
    while j < len(narrow):
        if i < len(wide) and wide[i] == "*":
            star, mark = i, j
            i += 1
        elif i < len(wide) and (wide[i] == narrow[j] or (wide[i] == "?" and narrow[j] != "*")):
            i, j = i + 1, j + 1
        elif star >= 0:
            mark += 1
            i, j = star + 1, mark
        else:
            return False
    return all(letter == "*" for letter in wide[i:])


def _each(terms: Terms) -> Iterator[Terms]:
    if terms.negated:
        yield terms
        return
    for pattern in sorted(terms.patterns):
        yield replace(terms, patterns=frozenset({pattern}))


def _statement(given: Mapping[str, Any]) -> Statement:
    return Statement(
        sid=str(given.get("Sid", "")),
        effect="Deny" if given.get("Effect") == "Deny" else "Allow",
        actions=_terms(given, "Action", any_case=True),
        resources=_terms(given, "Resource"),
        principals=_terms(given, "Principal") if _has_principal(given) else NOBODY,
        conditions=_conditions(given.get("Condition")),
    )


def _has_principal(given: Mapping[str, Any]) -> bool:
    return "Principal" in given or "NotPrincipal" in given


def _terms(given: Mapping[str, Any], name: str, *, any_case: bool = False) -> Terms:
    negated = f"Not{name}" in given
    values = _names(given.get(f"Not{name}" if negated else name, "*"))
    return Terms(frozenset(values), negated, any_case)


def _names(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        pairs = [(kind, name) for kind, names in mapping(value).items() for name in _texts(names)]
        return ["*" if name == "*" and kind == "AWS" else f"{kind}:{name}" for kind, name in pairs]
    return _texts(value)


def _texts(value: Any) -> list[str]:
    return [item if isinstance(item, str) else json.dumps(item) for item in listed(value)]


def _conditions(value: Any) -> Conditions:
    return {
        # Keys of conditions are not told apart by their case.
        (operator, key.lower()): frozenset(_texts(values))
        for operator, keys in mapping(value).items()
        for key, values in mapping(keys).items()
    }


# What is at least as strict as an operator, beside itself.
_STRICTER = {
    "StringLike": ("StringEquals",),
    "ArnLike": ("ArnEquals", "StringEquals"),
    "ArnEquals": ("ArnLike",),
}


def _met(condition: tuple[str, str], values: frozenset[str], by: Conditions) -> bool:
    """True if what meets the conditions `by` meets this condition too."""
    operator, key = condition
    bare = operator.removesuffix("IfExists")
    as_strict = (operator, bare, *_STRICTER.get(bare, ()))
    return any(_within(bare, values, by[other, key]) for other in as_strict if (other, key) in by)


def _within(operator: str, values: frozenset[str], given: frozenset[str]) -> bool:
    if "Not" in operator:
        return values <= given
    if operator.endswith("IpAddress"):
        return all(any(subnet(narrow, wide) for wide in values) for narrow in given)
    if operator.endswith(("Like", "ArnEquals")):
        return all(any(covers(wide, narrow) for wide in values) for narrow in given)
    return given <= values


def subnet(narrow: str, wide: str) -> bool:
    """True if address range `narrow` lies within `wide`; if one is no range, True only if they are
    equal.
    """
    try:
        inner, outer = (ipaddress.ip_network(text, strict=False) for text in (narrow, wide))
    except ValueError:
        return narrow == wide
    if inner.version != outer.version:
        return False
    return inner.network_address in outer and inner.prefixlen >= outer.prefixlen
