"""What the API server would say to one of Karpenter's objects, known before it is asked.

The rules are upstream's: schema and CEL rules of the CRD files in `crds/`, in the order of the API
server: defaults first, then the structure, then the CEL rules. It is fast enough for each start of
the program (`python -m rehearsal.bench`).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import crd_cel, crd_structure, object_meta
from .crd_files import Crd, crd
from .crd_structure import Refusal, as_map, dotted


class Violation(NamedTuple):
    """Where in the manifest (`spec.disruption.budgets[0].nodes`) and what the API server says."""

    path: str
    message: str


def violations(
    kind: str, manifest: Mapping[str, Any], *, old: Mapping[str, Any] | None = None
) -> list[Violation]:
    """Everything the API server would refuse in this manifest; an empty list if it takes it.

    `manifest` is the whole object as plain values (apiVersion, kind, metadata, spec). With `old`,
    the object as it is now, the rules about changes count too. As on the server, no CEL rule is
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
    """All violations as in `violations`, each with the value that is refused and the rule."""
    definition = crd(kind)
    new = crd_structure.with_defaults(definition.schema, _plain(manifest))
    found = [
        *_type_meta(kind, definition, manifest),
        *object_meta.refusals(as_map(new.get("metadata"))),
        *crd_structure.refusals(definition.schema, new),
    ]
    if any(refusal.blocks_rules for refusal in found):
        return found

    before = crd_structure.with_defaults(definition.schema, _plain(old)) if old else None
    return [*found, *crd_cel.refusals(definition.schema, new, before)]


def _plain(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A copy as the API server receives it; refuses what is no JSON (an Output, a date)."""
    return json.loads(json.dumps(manifest))


def _type_meta(kind: str, definition: Crd, manifest: Mapping[str, Any]) -> Iterator[Refusal]:
    for key, expected in (("apiVersion", definition.api_version), ("kind", kind)):
        if manifest.get(key) != expected:
            yield Refusal((key,), f"must be {expected}", manifest.get(key))


def _got(refusal: Refusal) -> str:
    return "" if refusal.rule or refusal.value is None else f" (got {json.dumps(refusal.value)})"
