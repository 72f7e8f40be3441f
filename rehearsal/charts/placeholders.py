"""Empty charts in place of those that a user's own releases install from a repository."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

import yaml

LOCAL = ("/", "./", "../")
TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
data:
  values.yaml: {{ toYaml .Values | quote }}
"""


class Placeholder(NamedTuple):
    """A chart that is not rehearsed."""

    release: str
    """Key in `extraReleases`."""
    chart: str
    version: str


def placeholders(releases: object) -> list[Placeholder]:
    """Releases of a stack file's `extraReleases` whose chart is not a local folder.
    Malformed releases are left out: the program reports what is wrong with them.
    """
    listed: list[Placeholder] = []
    for release, settings in _mapping(releases).items():
        chart, version = _mapping(settings).get("chart"), _mapping(settings).get("version")
        if isinstance(chart, str) and isinstance(version, str) and not chart.startswith(LOCAL):
            listed.append(Placeholder(release, chart.rpartition("/")[2], version))
    return listed


def write(target: Path, placeholder: Placeholder) -> None:
    """A chart folder below `target` that takes any values and keeps them in a ConfigMap."""
    folder = target / placeholder.chart
    (folder / "templates").mkdir(parents=True)
    metadata = {
        "apiVersion": "v2",
        "name": placeholder.chart,
        "version": placeholder.version.removeprefix("v"),
        "description": "Holds the place of a chart that the rehearsal does not have.",
    }
    (folder / "Chart.yaml").write_text(yaml.safe_dump(metadata, sort_keys=False))
    (folder / "templates" / "values.yaml").write_text(TEMPLATE)


def _mapping(value: object) -> Mapping[str, object]:
    return cast(Mapping[str, object], value) if isinstance(value, Mapping) else {}
