"""The instance types that meet attribute-based requirements."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES

MANUFACTURERS = {
    "Intel": "intel",
    "AMD": "amd",
    "AWS": "amazon-web-services",
    "Apple": "apple",
}
UNLISTED = ("BareMetal", "BurstablePerformance")
"""Attributes with the values `included`, `required` or `excluded`, the default."""


def matching_types(requirements: Mapping[str, Any]) -> list[str]:
    """Names of matching types in order. Attributes that the rehearsal ignores count as met."""
    return list(_matching(json.dumps(requirements, sort_keys=True)))


@cache
def _matching(requirements: str) -> tuple[str, ...]:
    wanted: dict[str, Any] = json.loads(requirements)
    return tuple(sorted(name for name, facts in INSTANCE_TYPES.items() if _meets(facts, wanted)))


def _meets(facts: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_checks(facts, wanted))


def _checks(facts: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[bool]:
    name = facts["InstanceType"]
    cpus, memory = facts["VCpuInfo"]["DefaultVCpus"], facts["MemoryInfo"]["SizeInMiB"]
    yield _within(cpus, wanted.get("VCpuCount"))
    yield _within(memory, wanted.get("MemoryMiB"))
    yield _within(memory / 1024 / cpus, wanted.get("MemoryGiBPerVCpu"))
    yield not _listed(name, wanted.get("ExcludedInstanceTypes"))
    allowed = wanted.get("AllowedInstanceTypes")
    yield not allowed or _listed(name, allowed)
    makers = wanted.get("CpuManufacturers")
    yield not makers or MANUFACTURERS.get(facts["ProcessorInfo"]["Manufacturer"]) in makers
    generations = wanted.get("InstanceGenerations")
    generation = "current" if facts["CurrentGeneration"] else "previous"
    yield not generations or generation in generations
    for attribute, has in zip(
        UNLISTED, (facts["BareMetal"], facts["BurstablePerformanceSupported"]), strict=True
    ):
        said = wanted.get(attribute, "excluded")
        yield said == "included" or has == (said == "required")
    if "AcceleratorCount" in wanted:
        yield _within(_accelerators(facts), wanted["AcceleratorCount"])
    else:
        yield not _accelerators(facts)


def _accelerators(facts: Mapping[str, Any]) -> int:
    kinds = (("GpuInfo", "Gpus"), ("InferenceAcceleratorInfo", "Accelerators"))
    return sum(
        device.get("Count", 0) for kind, key in kinds for device in facts.get(kind, {}).get(key, [])
    )


def _within(value: float, limits: Mapping[str, Any] | None) -> bool:
    limits = limits or {}
    high = limits.get("Max")
    return float(limits.get("Min") or 0) <= value and (high is None or value <= float(high))


def _listed(name: str, patterns: Any) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns or ())
