"""Converts a ClusterConfig: name, version, logs and Fargate profiles here, other parts
elsewhere.
"""

from collections.abc import Mapping
from typing import Any

from components import compatibility
from frugal_eks.migrate.eksctl import access, addons, network, node_groups, service_accounts
from frugal_eks.migrate.notes import Context, Converted
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

API = "eksctl.io/v1alpha5"
_ALL_LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
_TAGS = (
    "only the tags that the program needs are set; `aws:defaultTags: {tags: {…}}` in the stack "
    "file puts tags of yours on all that Pulumi makes"
)


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is eksctl's."""
    return str(document.get("apiVersion", "")).startswith("eksctl.io/")


def convert_cluster_config(source: Reader, context: Context) -> Converted:
    """Converts a ClusterConfig. Required settings that it lacks are filled in at the end of the
    run.
    """
    out = Sections()
    source.expect("apiVersion", API)
    source.expect("kind", "ClusterConfig")
    _metadata(source.part("metadata"), context, out)
    _settings(source, out)
    _logs(source.part("cloudWatch").part("clusterLogging"), out)
    _fargate(source, out)
    network.convert_network(source, out)
    access.convert_access(source, out)
    service_accounts.convert_service_accounts(source.part("iam"), out)
    addons.convert_addons(source, out)
    node_groups.convert_node_groups(source, out)
    return out.converted()


def _metadata(metadata: Reader, context: Context, out: Sections) -> None:
    name = metadata.text("name")
    chosen = context.cluster or name
    if chosen:
        changed = f"was {name}" if name and name != chosen else ""
        out.put(("cluster", "name"), chosen, changed)
    region = metadata.text("region")
    if region or context.region:
        changed = f"was {region}" if region and context.region not in {None, region} else ""
        out.put(("aws:region",), context.region or region, changed)
    version = metadata.text("version")
    if version:
        _version(version, out)
    tags = metadata.part("tags")
    tags.expect("karpenter.sh/discovery", name, chosen)
    out.leave(tags.rest(_TAGS))


def _version(wanted: str, out: Sections) -> None:
    place = ("cluster", "version")
    # Without quotes 1.30 is a number, and loses its last digit.
    wanted = "1.30" if wanted == "1.3" else wanted
    if wanted not in compatibility.KUBERNETES:
        extended = compatibility.EXTENDED_SUPPORT_SINCE
        oldest, *_, newest = (each for each in compatibility.KUBERNETES if each not in extended)
        later = _number(wanted) > _number(newest)
        nearest = f"the {'newest' if later else 'oldest'} in standard support"
        why = f"was {wanted}, which is not offered: {nearest}"
        out.put(place, newest if later else oldest, why)
        return
    out.put(place, wanted)
    since = compatibility.EXTENDED_SUPPORT_SINCE.get(wanted)
    if since:
        why = f"{wanted} is in extended support since {since}, for 0.60 USD an hour"
        out.put(("cluster", "supportType"), "EXTENDED", why)


def _number(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


def _settings(source: Reader, out: Sections) -> None:
    key = source.part("secretsEncryption").text("keyARN")
    if key:
        out.put(("cluster", "kmsKeyArn"), key)
    upgrade = source.part("upgradePolicy").text("supportType")
    if upgrade:
        out.put(("cluster", "supportType"), upgrade.upper())
    if "deletionProtection" in source:
        out.put(("cluster", "deletionProtection"), source.flag("deletionProtection", default=True))
    boundary = source.part("iam").text("serviceRolePermissionsBoundary")
    if boundary:
        out.put(("roles", "permissionsBoundary"), boundary, "now of every role, not one alone")
    if "karpenter" in source:
        out.leave(
            source.part("karpenter").rest(
                "the karpenter section installs this release's own Karpenter, with its queue and "
                "roles: give the manifests of its pools and node classes too"
            )
        )


def _logs(logging: Reader, out: Sections) -> None:
    types = logging.texts("enableTypes")
    if types:
        everything = any(each in {"*", "all"} for each in types)
        out.put(("cluster", "logs", "types"), _ALL_LOGS if everything else types)
    days = logging.number("logRetentionInDays")
    if days is not None:
        out.put(("cluster", "logs", "retentionDays"), days)


def _fargate(source: Reader, out: Sections) -> None:
    for profile in source.parts("fargateProfiles"):
        name = profile.text("name", f"fp-{len(out.get(('fargate', 'profiles')) or ()) + 1}")
        selectors: list[dict[str, Any]] = []
        for selector in profile.parts("selectors"):
            converted: dict[str, Any] = {"namespace": selector.text("namespace", "default")}
            labels = selector.labels("labels")
            if labels:
                converted["labels"] = labels
            selectors.append(converted)
        out.put(("fargate", "profiles", name), selectors)
        out.leave(
            profile.rest("all profiles have the stack's private subnets and one role of its own")
        )
