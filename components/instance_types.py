"""What the name of an EC2 instance type says."""

from typing import Annotated

from pydantic import Field

InstanceType = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*\.[a-z0-9-]+$")]


def is_graviton(instance_type: str) -> bool:
    """Whether a type is of AWS's own arm64 processors: `m7g`, `c6gn`, `t4g`, and `a1`."""
    family = instance_type.partition(".")[0]
    head = family.lstrip("abcdefghijklmnopqrstuvwxyz")
    return family == "a1" or "g" in head.lstrip("0123456789")
