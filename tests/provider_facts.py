"""Facts about the real AWS provider, as tests read them: `data/provider/*.yaml` and its README."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILES = Path(__file__).parent / "data" / "provider"
MADE = 8
"""Characters that the provider adds to a logical name: a dash and seven hex digits."""


@cache
def facts() -> Mapping[str, Any]:
    """What is known of each type, by its Pulumi token."""
    return {
        token: known
        for file in sorted(FILES.glob("*.yaml"))
        for token, known in yaml.safe_load(file.read_text())["types"].items()
    }


@dataclass(frozen=True, kw_only=True)
class NameRule:
    """What the provider asks of a name that it makes."""

    property: str
    """The property that holds the name."""
    made: int
    """Greatest length that the provider makes."""
    longest: int
    """Greatest length that passes the Terraform check, too."""
    pattern: str = ""
    """Regular expression of the Terraform check, for re.search; empty: none is known."""


def name_rule(token: str) -> NameRule | None:
    """The rule of a type's name; None where the provider makes none."""
    known = facts()[token]
    autoname = known["autoname"]
    if autoname == "none":
        return None
    words = _check_of(token, autoname["property"])
    lengths = [
        int(n) for pair in re.findall(r"length \d+-(\d+)|(\d+) at most", words) for n in pair if n
    ]
    pattern = re.search(r"regex (\S+)", words)
    return NameRule(
        property=autoname["property"],
        made=autoname["max_length"],
        longest=min([autoname["max_length"], *lengths]),
        pattern=pattern[1] if pattern else "",
    )


def _check_of(token: str, name: str) -> str:
    known = facts()[token]
    # The queue's check is written down with the checks of the plan, one of FIFO names apart.
    checks = [c for c in known["plan_time_checks"] if c.startswith(f"{name}: ")]
    return " ".join([known["properties"][name].get("validation", ""), *checks])
