"""Explains IAM policies in JSON: the program creates roles and rights of all that it installs."""

from collections.abc import Mapping
from typing import Any

from frugal_eks.migrate.notes import Context, Converted
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_AUTOSCALER = (
    "clusterAutoscaler has a role of its own, which changes only groups with the cluster's tags: "
    "no node's role needs it"
)
_OTHER = "add-ons have roles of their own with what each needs: drop it, or keep it where it is"


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is an IAM policy."""
    return "Statement" in document and "kind" not in document


def convert_iam_policy(source: Reader, context: Context) -> Converted:
    """Leaves the whole policy, with the reason."""
    del context  # rights are the same beside any other document
    out = Sections()
    text = _AUTOSCALER if "autoscaling:" in str(source.value["Statement"]) else _OTHER
    out.leave(source.rest(text))
    return out.converted()
