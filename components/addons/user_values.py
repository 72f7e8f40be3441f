"""A user's own values for the chart of an add-on: checked against the chart, and over ours."""

import difflib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml

PROJECT = Path(__file__).resolve().parents[2]
"""A file's name is relative to it."""
ADDONS = Path(__file__).parent
"""Each add-on's folder has its chart's own values.yaml; see the README here."""
_FOLDERS = {
    "aws-efs-csi-driver": "efs_csi",
    "aws-node-termination-handler": "node_termination_handler",
}
"""The add-on of each chart that has another name."""
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
"""Maps that a chart prints as they are and has a default for: any keys may be given."""


def folder(chart: str) -> Path:
    """The folder of the add-on that installs a chart, by the chart's name."""
    return ADDONS / _FOLDERS.get(chart, chart.replace("-", "_"))


@lru_cache
def of_chart(chart: str) -> Mapping[str, Any]:
    """What the chart itself says, by its name: every key that it knows."""
    return merged(unlisted(chart), _loaded(folder(chart) / "values.yaml"))


def unlisted(chart: str) -> Mapping[str, Any]:
    """Keys that the chart's templates read and that its values.yaml does not list."""
    file = folder(chart) / "unlisted.yaml"
    return _loaded(file) if file.exists() else {}


def read(file: str) -> Mapping[str, Any]:
    """The user's values. Raises OSError and ValueError where `problems` tells of them."""
    values = _loaded(PROJECT / file)
    if not isinstance(values, dict):
        raise ValueError(
            f"holds no values: write it as keys with values, as in {ADDONS}/*/values.yaml"
        )
    return cast(dict[str, Any], values)


def problems(file: str, chart: str, reserved: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with a file, and what to do. `reserved` are keys that have one of our own."""
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
    """The user's values over ours: mappings key by key, all else whole."""
    both = dict(ours)
    for key, value in users.items():
        own = both.get(key)
        inner = _is_map(own) and _is_map(value)
        both[key] = merged(cast(dict[str, Any], own), value) if inner else value
    return both


def _unknown(
    users: Mapping[str, Any], known: Mapping[str, Any], chart: str, path: str = ""
) -> Iterator[str]:
    """An empty mapping of the chart takes any keys, a null of it any value."""
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
