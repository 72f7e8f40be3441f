"""Converts selectors of AWSNodeTemplate v1alpha1 to terms of an EC2NodeClass.

A selector is one map: its keys are ANDed, and a value may be a list with commas. Terms are ORed,
and each of their fields has one value: a list becomes a term for each value.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

from components.section import Mistake

IDS = ("aws-ids", "aws::ids")
NAME = "aws::name"
OWNERS = "aws::owners"
MOST_TERMS = 30

Terms = list[dict[str, Any]]


def network_terms(selector: Mapping[str, str]) -> tuple[Terms, list[Mistake]]:
    """Terms of subnets or security groups; mistakes name the selector's keys."""
    by_id = _by_id(selector)
    if by_id is not None or not selector:
        return by_id or ([], [])
    terms: Terms = [{"tags": tags} for tags in _tags(selector)]
    return terms, _too_many(terms)


def image_terms(selector: Mapping[str, str]) -> tuple[Terms, list[Mistake]]:
    """Terms of images; mistakes name the selector's keys."""
    by_id = _by_id(selector)
    if by_id is not None or not selector:
        return by_id or ([], [])
    names, owners = _values(selector.get(NAME)), _values(selector.get(OWNERS))
    tags = {key: value for key, value in selector.items() if key not in (NAME, OWNERS)}
    if owners and not names and not tags:
        problem = "an owner alone would be every image of that account: add a name or tags"
        return [], [Mistake(OWNERS, problem, selector[OWNERS])]
    terms: Terms = []
    for name, owner, choice in product(names or [""], owners or [""], _tags(tags)):
        term = {"name": name, "owner": owner, "tags": choice}
        terms.append({key: value for key, value in term.items() if value})
    return terms, _too_many(terms)


def _by_id(selector: Mapping[str, str]) -> tuple[Terms, list[Mistake]] | None:
    """One term for each id, since an id stands alone; None without ids."""
    ids = [value for key in IDS for value in _values(selector.get(key))]
    if not ids:
        return None
    terms: Terms = [{"id": resource_id} for resource_id in ids]
    problem = "an id stands alone now, which finds it whatever else it is: drop this key"
    others = [Mistake(key, problem, value) for key, value in selector.items() if key not in IDS]
    return terms, [*others, *_too_many(terms)]


def _tags(selector: Mapping[str, str]) -> list[dict[str, str]]:
    """Every combination of one value for each key."""
    # Nothing as value meant any; a term has a star for that.
    values = [_values(value) or ["*"] for value in selector.values()]
    return [dict(zip(selector, choice, strict=True)) for choice in product(*values)]


def _values(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def _too_many(terms: Terms) -> list[Mistake]:
    if len(terms) <= MOST_TERMS:
        return []
    problem = f"comes to {len(terms)} terms, and the API takes {MOST_TERMS}: use fewer values"
    return [Mistake("", problem)]
