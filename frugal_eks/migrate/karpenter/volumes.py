"""Converts blockDeviceMappings of AWSNodeTemplate v1alpha1, with sizes in the current API's
form.
"""

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from components.karpenter.crd_structure import as_map
from frugal_eks.migrate.karpenter.images import UBUNTU_ROOT
from frugal_eks.migrate.karpenter.part import Part

_GIB = 2**30
_QUANTITY = re.compile(r"\+?(\d+\.?\d*|\.\d+)(?:([KMGTPE]i?|[numk])|[eE]([+-]?\d+))?")
_POWERS = {unit: 3 * number for number, unit in enumerate(("", "k", "M", "G", "T", "P", "E"))}
_SMALL = {"n": -9, "u": -6, "m": -3, "K": 3}
_SIZE = re.compile(r"\d+(Gi|G|Ti|T)")


def put_volumes(part: Part, spec: Mapping[str, Any]) -> None:
    """Puts the volumes of a class; without any, the API's own default applies, which is the
    package's too.
    """
    mappings: Sequence[Mapping[str, Any]] = spec.get("blockDeviceMappings") or []
    ubuntu = spec.get("amiFamily") == "Ubuntu"
    if not mappings and ubuntu:
        root = {"volumeSize": "20Gi", "volumeType": "gp3", "encrypted": True}
        mappings = [{"deviceName": UBUNTU_ROOT, "ebs": root}]
        part.put("blockDeviceMappings", mappings, "what the old API gave Ubuntu by itself")
        return
    devices: list[Mapping[str, Any]] = []
    for number, mapping in enumerate(mappings):
        missing = _missing(mapping)
        if missing:
            path = f"spec.blockDeviceMappings[{number}]"
            part.leave(path, f"has no {missing}, which the old API refused too: add it", mapping)
            continue
        ebs: dict[str, Any] = dict(mapping["ebs"])
        if "volumeSize" in ebs:
            ebs["volumeSize"], comment = size(ebs["volumeSize"])
            if comment:
                way = ("blockDeviceMappings", len(devices), "ebs", "volumeSize")
                part.say(comment, *way)
        say_what_is_written_out(part, len(devices), ebs)
        devices.append({**mapping, "ebs": ebs})
    if devices:
        part.put("blockDeviceMappings", devices)


def size(amount: int | str) -> tuple[str, str]:
    """A volume's size with its unit, and a comment if it changed."""
    text = str(amount)
    if _SIZE.fullmatch(text):
        return text, ""
    gibibytes = _bytes(text) / _GIB
    if gibibytes < Decimal(1) / 1024 and text.isdigit():
        # Its own text says GiB, its webhook counted bytes and refused such a volume.
        return f"{text}Gi", f"{text} had no unit: GiB is meant"
    rounded = math.ceil(gibibytes)
    exact = rounded == gibibytes
    return f"{rounded}Gi", "" if exact else f"{text}, rounded up as the old API did"


def say_what_is_written_out(part: Part, number: int, ebs: Mapping[str, Any]) -> None:
    """Comments on a volume for which the package writes out what it left to EC2."""
    added = {"volumeType": "gp3", "encrypted": "true", "deleteOnTermination": "true"}
    if "snapshotID" in ebs:
        del added["encrypted"]
    absent = [f"{key} {value}" for key, value in added.items() if key not in ebs]
    if absent:
        comment = f"written out now, EC2 decided before: {', '.join(absent)}"
        part.say(comment, "blockDeviceMappings", number, "ebs")


def _missing(mapping: Mapping[str, Any]) -> str:
    ebs = as_map(mapping.get("ebs"))
    if not mapping.get("deviceName"):
        return "deviceName"
    return "" if {"volumeSize", "snapshotID"} & ebs.keys() else "volumeSize and no snapshotID"


def _bytes(text: str) -> Decimal:
    """Bytes of a quantity that the old schema accepted."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return Decimal(0)
    number, unit, exponent = match.groups()
    if exponent:
        return Decimal(number).scaleb(int(exponent))
    if unit and unit.endswith("i"):
        return Decimal(number) * 1024 ** (_POWERS[unit[0].replace("K", "k")] // 3)
    return Decimal(number).scaleb((_POWERS | _SMALL)[unit or ""])
