"""Previews made by hand."""

import json
from collections.abc import Mapping
from typing import Any

from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review import risks

STACK = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"


def urn(type_: str, name: str, parents: str = "") -> str:
    return f"urn:pulumi:dev::shop::{parents}{type_}::{name}"


def step(
    op: str,
    type_: str,
    name: str = "one",
    old: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One step; `old` and `new` are inputs. `more` are keys of the step, or of both states."""
    state = {"urn": urn(type_, name), "type": type_, "custom": True, "parent": STACK}
    of_states = {"protect", "retainOnDelete", "dependencies", "parent", "custom"}
    state |= {key: value for key, value in more.items() if key in of_states}
    made: dict[str, Any] = {"op": op, "urn": state["urn"]}
    made |= {key: value for key, value in more.items() if key not in of_states}
    if op not in {"create", "import"}:
        made["oldState"] = state | {"id": f"id-of-{name}", "inputs": old or {}}
    if op != "delete":
        given = (old or {}) if new is None else new
        # A replacement has no id before it is made.
        kept = {} if op in {"create", "replace"} else {"id": f"id-of-{name}"}
        made["newState"] = state | kept | {"inputs": given}
    return made


def text(*steps: Mapping[str, Any], **more: Any) -> str:
    """What the engine would print; of the stack itself there is always a step."""
    stack = {"urn": STACK, "type": "pulumi:pulumi:Stack", "custom": False}
    first = {"op": "same", "urn": STACK, "oldState": stack, "newState": stack}
    return json.dumps({"config": {}, "steps": [first, *steps], "changeSummary": {}} | more)


def preview(*steps: Mapping[str, Any], **more: Any) -> Preview:
    """Read as from a file."""
    return Preview.parse(text(*steps, **more))


def told(*steps: Mapping[str, Any]) -> list[str]:
    """What a human has to look at, without marks of Markdown."""
    found = risks(preview(*steps))
    return [f"{risk.concern.value}: {risk}".replace("`", "") for risk in found]
