"""Reads a stack's state, as `pulumi stack export` writes it."""

import json
from pathlib import Path
from typing import Any, cast

from frugal_eks.sweep.account import SweepError


def known_ids(path: Path) -> frozenset[str]:
    """Ids of all resources in an exported state. Raises SweepError if the file is not one."""
    try:
        exported = json.loads(path.read_text(encoding="utf-8"))
        resources = cast(list[dict[str, Any]], exported["deployment"].get("resources", []))
        return frozenset(resource["id"] for resource in resources if resource.get("id"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SweepError(
            f"{path} is no exported state ({error!r}): make it with"
            " `pulumi stack export --file state.json`"
        ) from error
