"""Removes and notes what an object's own API refuses, before a conversion."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

from components.karpenter import crd_structure
from frugal_eks.migrate.notes import Note
from frugal_eks.migrate.reader import written

CRDS = Path(__file__).parent / "crds"
FILES = {
    "Provisioner": "karpenter.sh_provisioners.yaml",
    "AWSNodeTemplate": "karpenter.k8s.aws_awsnodetemplates.yaml",
}

Keys = tuple[str | int, ...]

_REQUIRED = "required value"


@cache
def schema(kind: str) -> Mapping[str, Any]:
    """Schema of a kind's spec in Karpenter's first API."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
    definition = yaml.load((CRDS / FILES[kind]).read_text(encoding="utf-8"), Loader=loader)
    return definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]


def checked(kind: str, spec: Any, path: str = "spec") -> tuple[dict[str, Any], list[Note]]:
    """The spec without what violates its API, and notes on that, with paths below `path`."""
    return checked_by(schema(kind), kind, spec, path)


def checked_by(
    schema: Mapping[str, Any], kind: str, spec: Any, path: str = "spec"
) -> tuple[dict[str, Any], list[Note]]:
    """Like `checked`, for a kind with the given schema."""
    kept = _without_nulls(spec)
    violations = sorted(_broken(schema, kind, kept).items(), key=_by_path)
    notes = [Note(written((path, *keys)), text, _at(kept, keys)) for keys, text in violations]
    # From the back: an item that goes must not move those that are still to go.
    for keys, _ in reversed(violations):
        if not keys:
            return {}, notes
        _drop(_at(kept, keys[:-1]), keys[-1])
    return crd_structure.as_map(kept), notes


def _broken(schema: Mapping[str, Any], kind: str, spec: Any) -> dict[Keys, str]:
    violations: dict[Keys, str] = {}
    for refusal in crd_structure.refusals(schema, spec):
        text = f"{kind} does not take it: {refusal.message}"
        keys = refusal.parts
        if refusal.message == _REQUIRED:
            text = f"{kind} does not take it without {keys[-1]}: add it"
            # An item of a list goes with what it lacks; of a mapping the rest can be read.
            keys = keys[:-1] if _is_item(keys[:-1]) else keys
        violations[keys] = text
    return violations


def _is_item(keys: Keys) -> bool:
    return bool(keys) and isinstance(keys[-1], int)


def _drop(holder: Any, key: Any) -> None:
    if isinstance(holder, list) or key in holder:
        del holder[key]


def _at(value: Any, keys: Keys) -> Any:
    """The value at `keys`; None if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(key, str) else value[key]
    return value


def _by_path(violation: tuple[Keys, str]) -> list[tuple[bool, str | int]]:
    return [(isinstance(key, str), key) for key in violation[0]]


def _without_nulls(value: Any) -> Any:
    """A copy without nulls: the API server treats a null field as absent."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    filled = cast("dict[str, Any]", value).items()
    return {key: _without_nulls(item) for key, item in filled if item is not None}
