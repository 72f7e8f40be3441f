"""Digest of an approved preview, so that `up` does that and nothing else."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.pull_requests.plans import NOTHING

DEFAULTED = "__defaults"
"""Key under which bridged providers list properties they filled in, random names too."""
AUTONAMED = "pulumi.com/autonamed"
"""Annotation by which the Kubernetes provider marks a random name."""
RANDOM_END = re.compile(r"[0-9a-f]{7}(\.fifo)?$")
"""Random suffix of names that bridged providers generate."""


def digest(preview: Preview) -> str:
    """A digest that is equal for equal changes, whenever the preview was made; NOTHING for none.
    Ignores secrets and values known only after `up`, which a preview does not show, and generated
    names, wherever they are used.
    """
    relevant = [change for change in preview.changes if change.operation not in {"same", "read"}]
    if not relevant:
        return NOTHING
    text = "\n".join(sorted(map(_serialised, relevant)))
    names = {
        name: change.urn
        for change in relevant
        if change.new
        for name in _made_up(change.new.inputs)
    }
    # The longest first: one may begin with another.
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return hashlib.sha256(text.encode()).hexdigest()


def _serialised(change: Change) -> str:
    diffs = {path: diff.kind for path, diff in change.diffs.items()}
    inputs = _lasting(change.new.inputs) if change.new else None
    return json.dumps([change.urn, change.operation, diffs, inputs], sort_keys=True)


def _made_up(inputs: Mapping[str, Any]) -> Iterator[str]:
    """Names with a random suffix that a provider generated for this resource."""
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
        return [_lasting(item) for item in cast("list[Any]", value)]
    if not isinstance(value, Mapping):
        return value
    inside = cast("Mapping[str, Any]", value)
    dropped = {DEFAULTED, *inside.get(DEFAULTED, ())}
    return {key: _lasting(item) for key, item in inside.items() if key not in dropped}
