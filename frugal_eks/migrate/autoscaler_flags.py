"""Converts the flags of a Cluster Autoscaler to its section of the stack file."""

import re
from collections.abc import Callable
from typing import Any, cast

from components.addons.cluster_autoscaler.config import FLAGS, OWN_FLAGS
from frugal_eks.migrate.notes import Note, Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_PLACE: Place = ("clusterAutoscaler",)
_FLAG = re.compile(r"--?(?P<name>[a-z][a-z0-9-]*)(=(?P<value>.*))?", re.DOTALL)
_GROUP = re.compile(r"(?P<min>\d+):(?P<max>\d+):(?P<name>\S+)")
_BY_TAG = (
    "groups of this stack carry the tags k8s.io/cluster-autoscaler/enabled and …/<cluster>, and "
    "are found by them"
)


def is_command(command: Any) -> bool:
    """True if a list is the command of a Cluster Autoscaler."""
    if not isinstance(command, list) or not command:
        return False
    return str(cast(list[Any], command)[0]).endswith("cluster-autoscaler")


def convert_flags(container: Reader, key: str, out: Sections) -> None:
    """Converts the flags in `command` or `args` of a container."""
    path = ".".join(filter(None, (container.path, key)))
    for number, text in enumerate(container.texts(key)):
        if is_command([text]):
            continue
        flag = _FLAG.fullmatch(text.strip())
        here = f"{path}[{number}]"
        if flag is None:
            out.leave([Note(here, "is no flag of the form --name=value", text)])
        else:
            _flag(flag["name"], flag["value"], Note(here, "", text), out)


def _flag(name: str, value: str | None, at: Note, out: Sections) -> None:
    given = "true" if value is None else value
    if name == "nodes":
        _group(given, at, out)
    elif name == "node-group-auto-discovery":
        out.leave([Note(at.path, _BY_TAG, at.value)])
    elif name in OWN_FLAGS:
        if (name, given) not in {("cloud-provider", "aws"), ("stderrthreshold", "info")}:
            out.leave([Note(at.path, "is set by the program", at.value)])
    elif name in FLAGS:
        out.put((*_PLACE, FLAGS[name]), _as(FLAGS[name], given))
    else:
        number = 2
        flag = name
        # The chart drops what follows a `_`.
        while out.has((*_PLACE, "extraArgs", flag)):
            flag, number = f"{name}_{number}", number + 1
        out.put((*_PLACE, "extraArgs", flag), _number(given))


def _group(value: str, at: Note, out: Sections) -> None:
    group = _GROUP.fullmatch(value)
    if group is None:
        out.leave([Note(at.path, "is no group of the form min:max:name", at.value)])
        return
    entry = {"name": group["name"], "min": int(group["min"]), "max": int(group["max"])}
    out.append((*_PLACE, "groups"), entry)


def _as(key: str, value: str) -> Any:
    kinds: dict[str, Callable[[str], Any]] = {
        "skipNodesWithLocalStorage": _boolean,
        "balanceSimilarNodeGroups": _boolean,
        "v": _number,
    }
    return kinds.get(key, str)(value)


def _boolean(value: str) -> Any:
    return {"true": True, "false": False}.get(value.lower(), value)


def _number(value: str) -> Any:
    if re.fullmatch(r"-?(0|[1-9]\d*)", value):
        return int(value)
    return float(value) if re.fullmatch(r"-?\d+\.\d+", value) else _boolean(value)
