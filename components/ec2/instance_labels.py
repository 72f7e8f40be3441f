"""Labels that Karpenter's AWS provider 1.14 sets on nodes, by instance type."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .instance_offerings import LaunchFacts
from .instance_types import TypeFacts
from .labels import ARCHITECTURE, CATEGORY, FAMILY, GENERATION, INSTANCE_TYPE, SIZE

_AWS = "karpenter.k8s.aws/instance-"
_SCHEME = re.compile(r"([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\.")
_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


class LaunchableType(NamedTuple):
    """An instance type with all that EC2 reports of it."""

    name: str
    size: TypeFacts
    facts: LaunchFacts


def _category(each: LaunchableType) -> str | None:
    match = _SCHEME.match(each.name)
    return match[1] if match else None


def _generation(each: LaunchableType) -> str | None:
    match = _SCHEME.match(each.name)
    return match[2] if match else None


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _word(words: str | None, place: int) -> str | None:
    return words.split()[place] if words else None


LABELS: Mapping[str, Callable[[LaunchableType], str | None]] = {
    INSTANCE_TYPE: lambda each: each.name,
    ARCHITECTURE: lambda each: _ARCHITECTURES[each.size.architecture],
    CATEGORY: _category,
    GENERATION: _generation,
    FAMILY: lambda each: each.name.partition(".")[0],
    SIZE: lambda each: each.name.partition(".")[2],
    f"{_AWS}capability-flex": lambda each: _boolean("-flex" in each.name.partition(".")[0]),
    f"{_AWS}cpu": lambda each: str(each.size.vcpu),
    f"{_AWS}memory": lambda each: str(each.size.memory_mib),
    f"{_AWS}cpu-manufacturer": lambda each: each.facts.manufacturer,
    f"{_AWS}cpu-sustained-clock-speed-mhz": lambda each: str(each.facts.clock_mhz),
    f"{_AWS}hypervisor": lambda each: each.facts.hypervisor,
    f"{_AWS}encryption-in-transit-supported": lambda each: _boolean(each.facts.encrypts),
    f"{_AWS}ebs-bandwidth": lambda each: _number(each.facts.ebs_mbps),
    f"{_AWS}network-bandwidth": lambda each: _number(each.facts.network_mbps),
    f"{_AWS}local-nvme": lambda each: _number(each.facts.nvme_gb),
    f"{_AWS}gpu-name": lambda each: _word(each.facts.gpu, 0),
    f"{_AWS}gpu-manufacturer": lambda each: _word(each.facts.gpu, 1),
    f"{_AWS}gpu-count": lambda each: _word(each.facts.gpu, 2),
    f"{_AWS}gpu-memory": lambda each: _word(each.facts.gpu, 3),
    f"{_AWS}accelerator-name": lambda each: _word(each.facts.accelerator, 0),
    f"{_AWS}accelerator-manufacturer": lambda each: _word(each.facts.accelerator, 1),
    f"{_AWS}accelerator-count": lambda each: _word(each.facts.accelerator, 2),
}
"""For each label key, its value on nodes of a type; None if they lack the label. Labels that depend
on the node class (operating system, placement group, reservation) or are the same everywhere are
missing.
"""
