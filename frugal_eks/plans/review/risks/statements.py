"""Statements of a policy, and which of them allow more than others.

Only what can be told from the documents: `*` and `?` are compared as patterns, conditions as sets
of values. Where it is in doubt, it is more.
"""

import ipaddress
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from frugal_eks.plans.review.json_values import elements, mapping

_ATOMS = 20_000
"""Of a statement, at most: AWS takes no policy that has more."""


@dataclass(frozen=True)
class Terms:
    """What one element of a statement names."""

    patterns: frozenset[str]
    negated: bool = False
    """NotAction, NotResource, NotPrincipal: all but these."""
    any_case: bool = False
    """Of actions: IAM takes their letters as equal, whether small or not."""

    def covers(self, pattern: str) -> bool:
        """Whether all that the pattern stands for is named here."""
        if self.negated:
            return not any(
                self._covers(one, pattern) or self._covers(pattern, one) for one in self.patterns
            )
        return any(self._covers(one, pattern) for one in self.patterns)

    def covers_all(self, others: "Terms") -> bool:
        """Whether all that the others name is named here."""
        if not others.negated:
            return all(self.covers(one) for one in others.patterns)
        if self.negated:
            return all(any(self._covers(o, p) for o in others.patterns) for p in self.patterns)
        return "*" in self.patterns

    def _covers(self, wide: str, narrow: str) -> bool:
        return covers(wide.lower(), narrow.lower()) if self.any_case else covers(wide, narrow)


NOBODY = Terms(frozenset({""}))
"""Of a statement for whoever has the policy."""
Conditions = Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True)
class Statement:
    """One statement; elements it does not have are everything."""

    sid: str
    effect: Literal["Allow", "Deny"]
    actions: Terms
    resources: Terms
    principals: Terms
    """`AWS:arn:…`, `Service:…`."""
    conditions: Conditions
    """By operator and key."""

    def parts(self) -> Iterator["Statement"]:
        """One for each action, resource and principal; itself alone if they are too many."""
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
        """Whether it holds wherever the other does."""
        return (
            self.actions.covers_all(other.actions)
            and self.resources.covers_all(other.resources)
            and self.principals.covers_all(other.principals)
            and all(_met(one, values, other.conditions) for one, values in self.conditions.items())
        )


def more(statement: Statement, by: Iterable[Statement]) -> list[Statement]:
    """The parts of the statement that none of the others covers."""
    others = [one for one in by if one.effect == statement.effect]
    if any(one.covers(statement) for one in others):
        return []
    return [part for part in statement.parts() if not any(one.covers(part) for one in others)]


def read(document: Mapping[str, Any]) -> list[Statement]:
    """Those of a policy document; what is no statement is passed over."""
    found = document.get("Statement")
    return [_statement(mapping(one)) for one in elements(found) or [found] if mapping(one)]


@lru_cache(maxsize=100_000)
def covers(wide: str, narrow: str) -> bool:
    """Whether a pattern of `*` and `?` holds for all that another one stands for."""
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
    found = _names(given.get(f"Not{name}" if negated else name, "*"))
    return Terms(frozenset(found), negated, any_case)


def _names(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        found = [(kind, name) for kind, names in mapping(value).items() for name in _texts(names)]
        return ["*" if name == "*" and kind == "AWS" else f"{kind}:{name}" for kind, name in found]
    return _texts(value)


def _texts(value: Any) -> list[str]:
    many = elements(value) if isinstance(value, list) else [value]
    return [one if isinstance(one, str) else json.dumps(one) for one in many]


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


def _met(one: tuple[str, str], values: frozenset[str], by: Conditions) -> bool:
    """Whether what meets the conditions `by` meets this one too."""
    operator, key = one
    bare = operator.removesuffix("IfExists")
    as_strict = (operator, bare, *_STRICTER.get(bare, ()))
    return any(_within(bare, values, by[other, key]) for other in as_strict if (other, key) in by)


def _within(operator: str, values: frozenset[str], given: frozenset[str]) -> bool:
    if "Not" in operator:
        return values <= given
    if operator.endswith("IpAddress"):
        return all(any(subnet(one, wide) for wide in values) for one in given)
    if operator.endswith(("Like", "ArnEquals")):
        return all(any(covers(wide, one) for wide in values) for one in given)
    return given <= values


def subnet(narrow: str, wide: str) -> bool:
    """Whether one range of addresses lies within the other; False if one is none."""
    try:
        inner, outer = (ipaddress.ip_network(one, strict=False) for one in (narrow, wide))
    except ValueError:
        return narrow == wide
    if inner.version != outer.version:
        return False
    return inner.network_address in outer and inner.prefixlen >= outer.prefixlen
