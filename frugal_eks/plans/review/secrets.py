"""Hides secrets in a comment, also those that the program did not mark as secret."""

import json
import re
from collections.abc import Mapping
from typing import Any

from frugal_eks.plans.json_values import elements, mapping, parsed
from frugal_eks.plans.previews import SECRET, Resource

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Pulumi's key for a wrapped value; a preview with --show-secrets has the value beside it."""
_NAMES = (
    r"(?:password|passwd|passphrase|secret|secret[_-]?(?:access[_-]?)?key|secret[_-]?(?:string|binary)"
    r"|token|api[_-]?key|private[_-]?key(?:[_-]?pem)?|connection[_-]?string|credentials?)"
)
_KEY = re.compile(f"{_NAMES}$", re.IGNORECASE)
_ASSIGNED = re.compile(
    rf"(?P<name>{_NAMES}[\"']?\s*[=:]\s*)(?P<value>\"[^\"]*\"|'[^']*'|\S+)", re.IGNORECASE
)
_ACCESS_KEY = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?P<kind>[A-Z ]{0,30}PRIVATE KEY)-----.*?(?:-----END (?P=kind)-----|\Z)", re.DOTALL
)
_WHOLE = {
    "kubernetes:core/v1:Secret": ("data", "stringData"),
    "aws:secretsmanager/secretVersion:SecretVersion": ("secretString", "secretBinary"),
}


def inputs(resource: Resource | None) -> Mapping[str, Any]:
    """Inputs of a resource without secrets; empty if there is no resource."""
    if not resource:
        return {}
    whole = _WHOLE.get(resource.type, ())
    if resource.type == "aws:ssm/parameter:Parameter" and resource.inputs.get("type") != "String":
        whole = ("value",)
    return {
        key: SECRET if key in whole and value is not None else masked(value, key)
        for key, value in resource.inputs.items()
    }


def masked(value: Any, key: str = "") -> Any:
    """The value without secrets; `key` is the property that holds it."""
    if isinstance(value, Mapping):
        return _mapping(mapping(value))
    if isinstance(value, list):
        return [masked(item, key) for item in elements(value)]
    if isinstance(value, str):
        return SECRET if value and _KEY.search(key) else in_text(value)
    return value


def in_text(text: str) -> str:
    """A text, such as a script or JSON, with values assigned to secret names hidden."""
    if text.startswith("{") and (whole := parsed(text)) is not None:
        hidden = masked(whole)
        return text if hidden == whole else json.dumps(hidden)
    if text.startswith("arn:"):  # arn:aws:secretsmanager:eu-west-1:111122223333:secret:name
        return text
    text = _PRIVATE_KEY.sub(SECRET, text)
    text = _ACCESS_KEY.sub(SECRET, text)
    return _ASSIGNED.sub(lambda match: f"{match['name']}{SECRET}", text)


def _mapping(value: Mapping[str, Any]) -> Any:
    if _SIGNATURE in value:
        return SECRET
    # An environment variable, or a parameter of a chart.
    named = value.get("name")
    if isinstance(named, str) and isinstance(value.get("value"), str) and _KEY.search(named):
        return {**value, "value": SECRET}
    return {name: masked(item, name) for name, item in value.items()}
