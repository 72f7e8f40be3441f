"""Users' values files for charts of add-ons: checks them, and merges them over the program's
values.
"""

import difflib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml

PROJECT = Path(__file__).resolve().parents[2]
"""Folder of the project, to which names of values files are relative."""
ADDONS = Path(__file__).parent
"""Folder of all add-ons; each has its chart's values.yaml. See the README there."""
_FOLDERS = {
    "aws-efs-csi-driver": "efs_csi",
    "aws-node-termination-handler": "node_termination_handler",
}
"""Add-ons whose folder is not named like their chart."""
OPEN_MAPS = frozenset(
    {
        "affinity",
        "containerSecurityContext",
        "daemonsetAffinity",
        "deploymentStrategy",
        "env",
        "extraArgs",
        "livenessProbe",
        "nodeSelector",
        "podSecurityContext",
        "probes",
        "readinessProbe",
        "resources",
        "securityContext",
        "selector",
        "socketDirVolume",
        "strategy",
        "tmpVolume",
        "updateStrategy",
    }
)
"""Maps that a chart has a default for but passes on unchanged: any keys may be given."""


def folder(chart: str) -> Path:
    """Folder of the add-on that installs the chart of this name."""
    return ADDONS / _FOLDERS.get(chart, chart.replace("-", "_"))


@lru_cache
def of_chart(chart: str) -> Mapping[str, Any]:
    """Default values of the chart of this name: every key that it knows."""
    return merged(unlisted(chart), _loaded(folder(chart) / "values.yaml"))


def unlisted(chart: str) -> Mapping[str, Any]:
    """Keys that the chart's templates read and that its values.yaml does not list."""
    file = folder(chart) / "unlisted.yaml"
    return _loaded(file) if file.exists() else {}


def read(file: str) -> Mapping[str, Any]:
    """Values in the user's file. Raises OSError or ValueError for a file that `problems`
    reports.
    """
    values = _loaded(PROJECT / file)
    if not isinstance(values, dict):
        raise ValueError(
            f"holds no values: write it as keys with values, as in {ADDONS}/*/values.yaml"
        )
    return cast(dict[str, Any], values)


def problems(file: str, chart: str, reserved: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with a values file, and what to do. `reserved` are keys that a section sets
    itself.
    """
    try:
        values = read(file)
    except OSError as error:
        yield f"cannot be read ({error.strerror}): correct the path, which starts at the project"
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        yield f"is no YAML ({' '.join(str(error).split())}): correct it"
    except ValueError as error:
        yield str(error)
    else:
        for key in sorted(reserved.keys() & values.keys()):
            yield f"{key} {reserved[key]}"
        yield from _unknown(values, of_chart(chart), chart)


def merged(ours: Mapping[str, Any], users: Mapping[str, Any]) -> dict[str, Any]:
    """The user's values merged over the program's: mappings key by key, all else as a whole."""
    both = dict(ours)
    for key, value in users.items():
        own = both.get(key)
        inner = _is_map(own) and _is_map(value)
        both[key] = merged(cast(dict[str, Any], own), value) if inner else value
    return both


def _unknown(
    users: Mapping[str, Any], known: Mapping[str, Any], chart: str, path: str = ""
) -> Iterator[str]:
    """Values that the chart does not know. An empty mapping in the chart allows any keys, a null
    any value.
    """
    for key, value in users.items():
        at = f"{path}{key}"
        if value is None:
            yield f"{at} is null, which would be dropped: write out what it shall be, or drop it"
        elif key not in known:
            close = difflib.get_close_matches(str(key), map(str, known), n=1)
            remedy = f"did you mean {path}{close[0]}?" if close else "correct or drop it"
            yield f"{at} is no value of the chart {chart}: {remedy}"
        elif _is_map(known[key]) and known[key] and not _is_map(value):
            yield f"{at} is a mapping in the chart {chart}: write it as keys with values"
        elif _is_map(value):
            closed = _is_map(known[key]) and known[key] and key not in OPEN_MAPS
            inner = known[key] if closed else value
            yield from _unknown(value, inner, chart, f"{at}.")


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


def _loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
