"""A stack's state without the machine on which it was recorded, for tests of later releases."""

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
    lines = ",\n".join(json.dumps(_stable(one), sort_keys=True) for one in resources)
    for placeholder, here in _places(state).items():
        lines = lines.replace(here, placeholder)
    # The cluster's own endpoint is a door before the API server.
    for endpoint in {one["outputs"]["endpoint"] for one in resources if one["type"] == CLUSTER}:
        lines = lines.replace(endpoint, API_SERVER)
    return f"[\n{lines}\n]\n"


def restored(text: str, state: State) -> list[dict[str, Any]]:
    """What is in such a file, with the endpoints of this rehearsal."""
    for placeholder, here in _places(state).items():
        text = text.replace(placeholder, here)
    return json.loads(text)


def _places(state: State) -> dict[str, str]:
    """What stands in a file for what is another in every rehearsal."""
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
        return {key: _stable(one) for key, one in items if key not in UNSTABLE}
    if isinstance(value, list):
        return [_stable(one) for one in cast("list[Any]", value)]
    return value
