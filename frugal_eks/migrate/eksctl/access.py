"""Converts eksctl's identity mappings and access entries to administrators of the cluster."""

from collections.abc import Mapping
from typing import Any

from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_ADMIN_POLICY = "AmazonEKSClusterAdminPolicy"
_OTHER = (
    "the stack file names administrators only: make an access entry with other rights yourself "
    "(aws.eks.AccessEntry)"
)
_NODES = "nodes join by access entries that the program makes for its own roles: not needed"
_ADMINS = ("cluster", "admins")


def convert_access(source: Reader, out: Sections) -> None:
    """Converts `iamIdentityMappings` and `accessConfig` to `cluster.admins`."""
    for mapping in source.parts("iamIdentityMappings"):
        groups = Reader(mapping.value).texts("groups")
        if "system:masters" in groups:
            out.append(_ADMINS, mapping.text("arn"), "was in the group system:masters")
            mapping.take("groups")
            out.leave(mapping.note("username", "an access entry names its user by itself"))
            out.leave(mapping.rest(_OTHER))
        else:
            out.leave(mapping.rest(_NODES if "system:nodes" in groups else _OTHER))
    config = source.part("accessConfig")
    out.leave(config.fixed("authenticationMode", "is always API, by access entries alone", "API"))
    creator = "whoever makes the cluster gets no rights by that: name it in cluster.admins"
    out.leave(config.fixed("bootstrapClusterCreatorAdminPermissions", creator, False))
    for entry in config.parts("accessEntries"):
        if _is_admin(entry.value):
            out.append(_ADMINS, entry.text("principalARN"))
            entry.take("accessPolicies")
            entry.expect("type", "STANDARD")
        out.leave(entry.rest(_OTHER))


def _is_admin(entry: Mapping[str, Any]) -> bool:
    policies = Reader(entry).parts("accessPolicies")
    if len(policies) != 1 or not policies[0].text("policyARN", "").endswith(f"/{_ADMIN_POLICY}"):
        return False
    return policies[0].value.get("accessScope") in (None, {"type": "cluster"})
