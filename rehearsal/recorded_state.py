"""Converts a stack's state to and from a form without its machine, for tests of later releases."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rehearsal.state import State

API_SERVER = "https://kubernetes.example.com"
CLUSTER = "aws:eks/cluster:Cluster"
UNSTABLE = frozenset(
    {
        *("created", "modified", "sourcePosition", "stackTrace"),
        # The order of a destroy, of which a preview says nothing.
        *("dependencies", "propertyDependencies"),
        # Half of every Kubernetes object.
        "managedFields",
    }
)


def recorded(resources: Sequence[Mapping[str, Any]], state: State) -> str:
    """The resources of a state as a file, one on a line. Secrets must be there as plain text."""
    lines = ",\n".join(json.dumps(_stable(resource), sort_keys=True) for resource in resources)
    for placeholder, here in _places(state).items():
        lines = lines.replace(here, placeholder)
    # The cluster's own endpoint is a door before the API server.
    for endpoint in {
        resource["outputs"]["endpoint"] for resource in resources if resource["type"] == CLUSTER
    }:
        lines = lines.replace(endpoint, API_SERVER)
    return f"[\n{lines}\n]\n"


def restored(text: str, state: State) -> list[dict[str, Any]]:
    """State from such a file, with the endpoints of this rehearsal."""
    for placeholder, here in _places(state).items():
        text = text.replace(placeholder, here)
    return json.loads(text)


def _places(state: State) -> dict[str, str]:
    """Placeholders in a file for values that differ in every rehearsal."""
    endpoints = state.endpoints
    certificate = base64.b64encode(state.certificate.read_bytes()).decode()
    return {
        API_SERVER: endpoints["apiServer"],
        "https://aws.example.com": endpoints["aws"],
        base64.b64encode(b"The certificate of the recorded API server").decode(): certificate,
        "/rehearsal/charts": str(state.charts),
    }


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _stable(item) for key, item in items if key not in UNSTABLE}
    if isinstance(value, list):
        return [_stable(item) for item in cast("list[Any]", value)]
    return value
