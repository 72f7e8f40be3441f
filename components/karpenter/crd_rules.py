"""What the API server would say to one of Karpenter's objects, known before it is asked.

The rules are upstream's: schema and CEL rules of the CRD files in `crds/`, in the order of the API
server: defaults first, then the structure, then the CEL rules. jsonschema and cel-python are loaded
when something is checked, not before: a program that checks nothing does not pay for them.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from components.karpenter import crd_cel, crd_structure

CRDS = Path(__file__).parent / "crds"

# Which file holds which kind: reading all five takes longer than checking an object.
FILES = {
    "CapacityBuffer": "autoscaling.x-k8s.io_capacitybuffers.yaml",
    "EC2NodeClass": "karpenter.k8s.aws_ec2nodeclasses.yaml",
    "NodeClaim": "karpenter.sh_nodeclaims.yaml",
    "NodeOverlay": "karpenter.sh_nodeoverlays.yaml",
    "NodePool": "karpenter.sh_nodepools.yaml",
}

Schema = Mapping[str, Any]


class Violation(NamedTuple):
    """Where in the manifest (`spec.disruption.budgets[0].nodes`) and what the API server says."""

    path: str
    message: str


class Crd(NamedTuple):
    """One custom resource definition: its API version and the schema of that version."""

    api_version: str
    schema: Schema


@cache
def crd(kind: str) -> Crd:
    """The definition of a kind; each has one version, served and stored.

    Raises LookupError for a kind that is none of Karpenter's.
    """
    if kind not in FILES:
        raise LookupError(f"{kind} is none of Karpenter's kinds, which are {', '.join(FILES)}")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
    text = (CRDS / FILES[kind]).read_text(encoding="utf-8")
    spec = yaml.load(text, Loader=loader)["spec"]
    version = spec["versions"][0]
    api_version = f"{spec['group']}/{version['name']}"
    return Crd(api_version, version["schema"]["openAPIV3Schema"])


def violations(
    kind: str, manifest: Mapping[str, Any], *, old: Mapping[str, Any] | None = None
) -> list[Violation]:
    """Everything the API server would refuse in this manifest; an empty list if it takes it.

    `manifest` is the whole object as plain values (apiVersion, kind, metadata, spec). With `old`,
    the object as it is now, the rules about changes count too. As on the server, no CEL rule is
    evaluated if something required is missing or a type is wrong.
    """
    definition = crd(kind)
    found = list(_type_meta(kind, definition, manifest))
    new = crd_structure.with_defaults(definition.schema, _plain(manifest))
    errors = list(crd_structure.errors(_checks(kind), definition.schema, new))
    found += [Violation(error.path, error.message) for error in errors]
    if any(error.blocks_rules for error in errors):
        return found

    before = crd_structure.with_defaults(definition.schema, _plain(old)) if old else None
    found += [Violation(*said) for said in crd_cel.refusals(definition.schema, new, before)]
    return found


@cache
def _checks(kind: str) -> crd_structure.Checks:
    return crd_structure.checks(crd(kind).schema)


def _plain(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A copy as the API server receives it; refuses what is no JSON (an Output, a date)."""
    return json.loads(json.dumps(manifest))


def _type_meta(kind: str, definition: Crd, manifest: Mapping[str, Any]) -> Iterator[Violation]:
    for key, expected in (("apiVersion", definition.api_version), ("kind", kind)):
        if manifest.get(key) != expected:
            yield Violation(key, f"must be {expected} (got {manifest.get(key)!r})")
