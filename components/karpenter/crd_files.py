"""Karpenter's CRDs: upstream's files, and their schemas as JSON, which loads ten times as fast.

`python -m components.karpenter.crd_files` writes the JSON again after upstream's files change.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from . import object_meta
from .crd_structure import Schema, as_list, as_map

CRDS = Path(__file__).parent / "crds"

FILES = {
    "CapacityBuffer": "autoscaling.x-k8s.io_capacitybuffers.yaml",
    "EC2NodeClass": "karpenter.k8s.aws_ec2nodeclasses.yaml",
    "NodeClaim": "karpenter.sh_nodeclaims.yaml",
    "NodeOverlay": "karpenter.sh_nodeoverlays.yaml",
    "NodePool": "karpenter.sh_nodepools.yaml",
}
"""Name of upstream's file for each kind."""


class Crd(NamedTuple):
    """A custom resource definition: its API version and the schema of that version."""

    api_version: str
    schema: Schema


@cache
def crd(kind: str) -> Crd:
    """The definition of one of Karpenter's kinds; each has one version, served and stored.

    Raises LookupError for any other kind.
    """
    if kind not in FILES:
        raise LookupError(f"{kind} is none of Karpenter's kinds, which are {', '.join(FILES)}")
    read = json.loads(schema_file(kind).read_text(encoding="utf-8"))
    schema = read["schema"]
    schema["properties"]["metadata"] = object_meta.SCHEMA
    return Crd(read["apiVersion"], schema)


def schema_file(kind: str) -> Path:
    """Path of a kind's schema as JSON."""
    return (CRDS / FILES[kind]).with_suffix(".json")


def schema_text(kind: str) -> str:
    """Content of a kind's JSON file: API version and schema of upstream's file, without
    descriptions.
    """
    spec = yaml.safe_load((CRDS / FILES[kind]).read_text(encoding="utf-8"))["spec"]
    version = spec["versions"][0]
    read = {
        "apiVersion": f"{spec['group']}/{version['name']}",
        "schema": _without_descriptions(version["schema"]["openAPIV3Schema"]),
    }
    return json.dumps(read, indent=1) + "\n"


def _without_descriptions(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_descriptions(each) for each in as_list(schema)]
    if not isinstance(schema, dict):
        return schema
    # A field may be called description too: then it is no text.
    return {
        key: _without_descriptions(value)
        for key, value in as_map(schema).items()
        if key != "description" or not isinstance(value, str)
    }


if __name__ == "__main__":
    for each in FILES:
        schema_file(each).write_text(schema_text(each), encoding="utf-8")
