"""Stand-in charts: the same values in, the same objects out, without a chart repository."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from components.addons.addon_config import ChartConfig
from components.addons.config import sections
from components.addons.user_values import OPEN_MAPS, merged, unlisted
from rehearsal.charts.placeholders import Placeholder, write

HERE = Path(__file__).resolve().parent
CRDS = HERE.parent.parent / "components" / "karpenter" / "crds"
"""Folder of upstream's CRDs, of which the project has one copy."""
SHARED = HERE / "shared"
"""Definitions shared by all charts with templates."""
UPSTREAM_SCHEMA = "upstream.schema.json"
"""File with upstream's own schema of the values, which applies besides the project's."""

CHARTS = (
    "karpenter",
    "karpenter-crd",
    *dict.fromkeys(each.CHART_NAME for _, each in sections() if issubclass(each, ChartConfig)),
)
"""The charts that have a stand-in: Karpenter's and each add-on's."""

CLOSED = {"karpenter": frozenset({"securityContext"})}
"""Maps of a Kubernetes type of which a chart accepts only the listed fields."""
ANY_OF = {"initContainers": ["array", "object"], "extraArgs": ["array", "object"]}
"""Values whose upstream default is a map although a list is meant, or allowed; both are
accepted.
"""
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


def assemble(target: Path, others: Iterable[Placeholder] = ()) -> list[Placeholder]:
    """Write each chart as a folder below `target`: what Helm's `chart` argument takes.

    Returns those of the `others` that only a placeholder stands for.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in CHARTS:
        folder = target / name
        shutil.copytree(HERE / name, folder)
        values = yaml.safe_load((folder / "values.yaml").read_text())
        known = merged(unlisted(name), values)
        written = schema(known, OPEN_MAPS - CLOSED.get(name, frozenset()))
        if (upstream := folder / UPSTREAM_SCHEMA).exists():
            written["allOf"] = [json.loads(upstream.read_text())]
            upstream.unlink()
        (folder / "values.schema.json").write_text(json.dumps(written, indent=2) + "\n")
        if (folder / "templates").exists():
            shutil.copytree(SHARED, folder / "templates", dirs_exist_ok=True)
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
    empty = {other.chart: other for other in others if other.chart not in CHARTS}
    for placeholder in empty.values():
        write(target, placeholder)
    return [other for other in others if other.chart in empty]


def crds() -> dict[str, str]:
    """Karpenter's CRDs by file name. Raises LookupError if the project has none."""
    files = {path.name: path.read_text() for path in sorted(CRDS.glob("*.yaml"))}
    if not files:
        raise LookupError(f"{CRDS} holds no CRDs of Karpenter")
    return files


def schema(values: Mapping[str, Any], open_maps: frozenset[str] = OPEN_MAPS) -> dict[str, Any]:
    """A JSON schema that refuses keys which these values do not have.

    An empty map stands for free keys (labels, annotations, resources), and so do `open_maps`.
    """
    draft = "http://json-schema.org/draft-07/schema#"
    return {"$schema": draft, **_schema("", values, open_maps)}


def _schema(key: str, value: object, open_maps: frozenset[str]) -> dict[str, Any]:
    match value:
        case _ if key in ANY_OF:
            return {"type": ANY_OF[key]}
        case dict() if value and key not in open_maps:
            fields = cast(dict[str, object], value)
            properties = {name: _schema(name, field, open_maps) for name, field in fields.items()}
            return {"type": "object", "properties": properties, "additionalProperties": False}
        case None:
            return {}
        case _:
            return {"type": TYPES[type(value)]}
