"""What was approved, as a digest: so that `up` does that and nothing else."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.pull_requests.plans import NOTHING

DEFAULTED = "__defaults"
"""Where the bridged providers list what they filled in themselves, random names too."""
AUTONAMED = "pulumi.com/autonamed"
"""What the Kubernetes provider marks a random name with."""
RANDOM_END = re.compile(r"[0-9a-f]{7}(\.fifo)?$")
"""What the bridged providers end a name with that they make up."""


def digest(preview: Preview) -> str:
    """The same text for the same changes, whenever the preview was made; NOTHING for none.

    Secrets and what is known only after `up` do not count: a preview does not tell them. Nor do
    names that providers make up anew in each preview, wherever they are used.
    """
    found = [one for one in preview.changes if one.operation not in {"same", "read"}]
    if not found:
        return NOTHING
    text = "\n".join(sorted(map(_told, found)))
    names = {name: one.urn for one in found if one.new for name in _made_up(one.new.inputs)}
    # The longest first: one may begin with another.
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return hashlib.sha256(text.encode()).hexdigest()


def _told(change: Change) -> str:
    diffs = {path: diff.kind for path, diff in change.diffs.items()}
    inputs = _lasting(change.new.inputs) if change.new else None
    return json.dumps([change.urn, change.operation, diffs, inputs], sort_keys=True)


def _made_up(inputs: Mapping[str, Any]) -> Iterator[str]:
    """Names with a random end that a provider has given this resource."""
    for key in inputs.get(DEFAULTED, ()):
        value = inputs.get(key)
        if isinstance(value, str) and RANDOM_END.search(value):
            yield value
    metadata = inputs.get("metadata")
    if isinstance(metadata, Mapping) and _is_autonamed(cast("Mapping[str, Any]", metadata)):
        yield cast("Mapping[str, Any]", metadata)["name"]


def _is_autonamed(metadata: Mapping[str, Any]) -> bool:
    annotations = metadata.get("annotations")
    # Else it is a text that stands for what is not known yet.
    return isinstance(annotations, Mapping) and AUTONAMED in annotations


def _lasting(value: Any) -> Any:
    if isinstance(value, list):
        return [_lasting(one) for one in cast("list[Any]", value)]
    if not isinstance(value, Mapping):
        return value
    inside = cast("Mapping[str, Any]", value)
    dropped = {DEFAULTED, *inside.get(DEFAULTED, ())}
    return {key: _lasting(one) for key, one in inside.items() if key not in dropped}
