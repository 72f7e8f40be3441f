"""Checks Karpenter's objects as the API server would, without calling it.

The rules are upstream's: schema and CEL rules of the CRD files in `crds/`, in the API server's
order: defaults first, then the structure, then the CEL rules. The check is fast enough for each
start of the program (`python -m rehearsal.bench`).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import crd_cel, crd_structure, object_meta
from .crd_files import Crd, crd
from .crd_structure import Refusal, as_map, dotted


class Violation(NamedTuple):
    """A path in the manifest (`spec.disruption.budgets[0].nodes`) and the API server's message."""

    path: str
    message: str


def violations(
    kind: str, manifest: Mapping[str, Any], *, old: Mapping[str, Any] | None = None
) -> list[Violation]:
    """Everything that the API server would refuse in this manifest; empty if it accepts the
    manifest.

    `manifest` is the whole object as plain values (apiVersion, kind, metadata, spec). With `old`,
    the present object, the rules about changes are checked too. As on the server, no CEL rule is
    evaluated if something required is missing or a type is wrong.
    """
    schema = crd(kind).schema
    return [
        Violation(dotted(refusal.parts, schema), refusal.message + _got(refusal))
        for refusal in refusals(kind, manifest, old=old)
    ]


def refusals(
    kind: str, manifest: Mapping[str, Any], *, old: Mapping[str, Any] | None = None
) -> list[Refusal]:
    """Violations as in `violations`, each with the refused value and the rule."""
    definition = crd(kind)
    new = crd_structure.with_defaults(definition.schema, _plain(manifest))
    structural = [
        *_type_meta(kind, definition, manifest),
        *object_meta.refusals(as_map(new.get("metadata"))),
        *crd_structure.refusals(definition.schema, new),
    ]
    if any(refusal.blocks_rules for refusal in structural):
        return structural

    before = crd_structure.with_defaults(definition.schema, _plain(old)) if old else None
    return [*structural, *crd_cel.refusals(definition.schema, new, before)]


def _plain(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A copy as the API server receives it; raises TypeError for values that are not JSON (an
    Output, a date).
    """
    return json.loads(json.dumps(manifest))


def _type_meta(kind: str, definition: Crd, manifest: Mapping[str, Any]) -> Iterator[Refusal]:
    for key, expected in (("apiVersion", definition.api_version), ("kind", kind)):
        if manifest.get(key) != expected:
            yield Refusal((key,), f"must be {expected}", manifest.get(key))


def _got(refusal: Refusal) -> str:
    return "" if refusal.rule or refusal.value is None else f" (got {json.dumps(refusal.value)})"
