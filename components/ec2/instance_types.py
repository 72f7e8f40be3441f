"""EC2's instance types with their sizes; a name that is not in the list is refused."""

import difflib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

Architecture = Literal["x86_64", "arm64"]
"""Processor architectures as EC2 spells them."""

FILE = Path(__file__).with_name("instance-types.json")
"""File of the instance types, made by `python -m frugal_eks.dev.instance_types`."""


class TypeFacts(NamedTuple):
    """Size and architecture of an instance type."""

    vcpu: int
    memory_mib: int
    architecture: str
    """`x86_64` or `arm64`; types of `x86_64_mac` and `arm64_mac` run macOS only."""


class KnownTypes(NamedTuple):
    """The list of instance types in this release."""

    origin: str
    date: str
    """Date when EC2 was asked."""
    types: Mapping[str, TypeFacts]


def read(text: str) -> KnownTypes:
    """Parses the list's file: name → vCPUs, MiB, architecture."""
    content: dict[str, Any] = json.loads(text)
    types = cast(dict[str, list[Any]], content["types"])
    facts = {name: TypeFacts(*each) for name, each in types.items()}
    return KnownTypes(content["origin"], content["date"], facts)


@lru_cache(maxsize=1)
def known_types() -> KnownTypes:
    """The list of instance types, which is read once, when first needed."""
    return read(FILE.read_text(encoding="utf-8"))


def type_facts(instance_type: str) -> TypeFacts:
    """Facts of a type that `InstanceType` accepted."""
    return known_types().types[instance_type]


def is_graviton(instance_type: str) -> bool:
    """True if a type is arm64, which means one of AWS's own processors: `m7g`, `c6gn`, `t4g`,
    `a1`.
    """
    return type_facts(instance_type).architecture == "arm64"


def mixed_architectures(instance_types: Sequence[str]) -> str | None:
    """Why these types cannot be in one group, and what to do; None if they can."""
    by_architecture: dict[str, list[str]] = {}
    for instance_type in instance_types:
        by_architecture.setdefault(type_facts(instance_type).architecture, []).append(instance_type)
    if len(by_architecture) <= 1:
        return None
    listed = " and ".join(f"{', '.join(t)} ({arch})" for arch, t in by_architecture.items())
    return f"mixes architectures, and a group has one image: {listed}; make a group of each"


def _known(instance_type: str) -> str:
    known = known_types()
    facts = known.types.get(instance_type)
    if facts is None:
        close = difflib.get_close_matches(instance_type.lower(), known.types, n=3)
        meant = f"did you mean {' or '.join(close)}? " if close else ""
        problem = (
            f"EC2 has no such type: {meant}"
            "Where it is newer than the list that ships, `python -m "
            "frugal_eks.dev.instance_types` fetches a new "
            "one"
        )
        raise PydanticCustomError("unknown_instance_type", "{problem}", {"problem": problem})  # noqa: RUF027 (pydantic's own)
    if facts.architecture.endswith("_mac"):
        raise PydanticCustomError("mac_instance_type", "runs macOS alone: choose another type")
    return instance_type


InstanceType = Annotated[str, AfterValidator(_known), Field(examples=["m7i.large"])]
"""The name of a type that EC2 has, for example `m7i.large`."""
