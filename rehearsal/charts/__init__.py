"""Stand-in charts: the same values in, the same objects out, without a chart repository."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

HERE = Path(__file__).resolve().parent
CRDS = HERE.parent.parent / "components" / "karpenter" / "crds"
"""Upstream's files, of which there is one copy in the project."""
CHARTS = ("karpenter", "karpenter-crd")

OPEN = frozenset({"strategy", "podSecurityContext", "nodeSelector", "affinity"})
"""Maps of a Kubernetes type that have a default: any of its fields may be given."""
ANY_OF = {"initContainers": ["array", "object"]}
"""Upstream's default is a map where a list is meant; both are taken."""
TYPES: dict[type, str | list[str]] = {
    dict: "object",
    list: "array",
    # A text in quotes is as good: all of them are printed into texts or YAML.
    bool: ["boolean", "string"],
    int: ["integer", "string"],
    float: ["number", "string"],
    str: ["string", "number"],
}
ANNOTATIONS = """  annotations:
{{- with .Values.additionalAnnotations }}
{{- toYaml . | nindent 4 }}
{{- end }}
"""


def assemble(target: Path) -> None:
    """Write each chart as a folder below `target`: what Helm's `chart` argument takes."""
    target.mkdir(parents=True, exist_ok=True)
    for name in CHARTS:
        folder = target / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HERE / name, folder)
        values = yaml.safe_load((folder / "values.yaml").read_text())
        (folder / "values.schema.json").write_text(json.dumps(schema(values), indent=2) + "\n")
    # As upstream has them: beside the controller for the first installation, and as templates
    # of a chart of their own, which upgrades and deletes them.
    for file, text in crds().items():
        for folder, content in (
            (target / "karpenter" / "crds", text),
            (
                target / "karpenter-crd" / "templates",
                text.replace("  annotations:\n", ANNOTATIONS, 1),
            ),
        ):
            folder.mkdir(exist_ok=True)
            (folder / file).write_text(content)


def crds() -> dict[str, str]:
    """Karpenter's CRDs by file name. Raises LookupError if the project has none."""
    files = {path.name: path.read_text() for path in sorted(CRDS.glob("*.yaml"))}
    if not files:
        raise LookupError(f"{CRDS} holds no CRDs of Karpenter")
    return files


def schema(values: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema that refuses keys which these values do not have.

    An empty map stands for free keys (labels, annotations, resources).
    """
    return {"$schema": "http://json-schema.org/draft-07/schema#", **_schema("", values)}


def _schema(key: str, value: object) -> dict[str, Any]:
    match value:
        case _ if key in ANY_OF:
            return {"type": ANY_OF[key]}
        case dict() if value and key not in OPEN:
            fields = cast(dict[str, object], value)
            properties = {name: _schema(name, field) for name, field in fields.items()}
            return {"type": "object", "properties": properties, "additionalProperties": False}
        case None:
            return {}
        case _:
            return {"type": TYPES[type(value)]}
