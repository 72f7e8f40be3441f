"""Plays updates of a cluster: settings, Kubernetes version, and the status of updates."""

from collections.abc import Callable

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import checks
from rehearsal.aws.eks_service.clusters import (
    ECHOED,
    endpoint_access,
    ensure_log_group,
    logging_of,
    minor,
    update_in_progress,
)
from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, Params, page

MODES = ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"]
"""Authentication modes in order; there is no way back."""

Changes = tuple[str, dict[str, object]]
"""Type of an update, and its parameters by their names in UpdateParamType."""


def update_cluster_config(eks: Eks, params: Params) -> Answer:
    """UpdateClusterConfig: one kind of setting per call, as in AWS."""
    cluster = _free_cluster(eks, params["name"], "UpdateClusterConfig")
    kinds = [key for key in params if key in CONFIG_CHANGES]
    if len(kinds) != 1:
        raise checks.invalid(
            f"Only one type of update can be allowed, got {kinds}: split them into several calls"
        )
    kind, changes = CONFIG_CHANGES[kinds[0]](eks, cluster, params[kinds[0]])
    return _begin(eks, cluster, kind, changes)


def update_cluster_version(eks: Eks, params: Params) -> Answer:
    """UpdateClusterVersion: one minor up at a time."""
    cluster = _free_cluster(eks, params["name"], "UpdateClusterVersion")
    wanted = params.get("version", "")
    if wanted not in eks.addon_versions:
        raise checks.invalid(f"unsupported Kubernetes version: {wanted}")
    if wanted == cluster.version:
        raise checks.invalid(f"Cluster is already at the desired Kubernetes version: {wanted}")
    (_, now_at), (_, then_at) = minor(cluster.version), minor(wanted)
    if then_at != now_at + 1:
        raise checks.invalid(
            f"Unsupported Kubernetes minor version update from {cluster.version} to {wanted}"
        )
    cluster.described["version"] = wanted
    return _begin(eks, cluster, "VersionUpdate", {"Version": wanted})


def associate_encryption_config(eks: Eks, params: Params) -> Answer:
    """AssociateEncryptionConfig: possible once, and irreversible."""
    cluster = _free_cluster(eks, params["clusterName"], "AssociateEncryptionConfig")
    if cluster.described["encryptionConfig"]:
        raise checks.invalid("Encryption is already enabled on this cluster")
    checks.encryption(eks.account, params["encryptionConfig"])
    cluster.described["encryptionConfig"] = params["encryptionConfig"]
    changes = {"EncryptionConfig": params["encryptionConfig"]}
    return _begin(eks, cluster, "AssociateEncryptionConfig", changes)


def describe_update(eks: Eks, params: Params) -> Answer:
    """DescribeUpdate."""
    update = eks.cluster(params["name"]).updates.get(params["updateId"])
    if update is None or update.of != (params.get("addonName"), params.get("nodegroupName")):
        raise AwsError("ResourceNotFoundException", f"No update found for ID: {params['updateId']}")
    return {"update": update.described}


def list_updates(eks: Eks, params: Params) -> Answer:
    """ListUpdates, of the cluster or of one of its add-ons or node groups."""
    of = (params.get("addonName"), params.get("nodegroupName"))
    updates = eks.cluster(params["name"]).updates
    return page([key for key, update in updates.items() if update.of == of], params, "updateIds")


def _free_cluster(eks: Eks, name: str, operation: str) -> Cluster:
    cluster = eks.cluster(name)
    if cluster.status == "UPDATING":
        raise update_in_progress(cluster, operation)
    if cluster.status != "ACTIVE":
        raise AwsError(
            "ResourceInUseException",
            f"Cannot update cluster {name}: it is currently {cluster.status}",
        )
    return cluster


def _begin(eks: Eks, cluster: Cluster, kind: str, changes: dict[str, object]) -> Answer:
    cluster.described["status"] = "UPDATING"
    cluster.transition = eks.later(lambda: "ACTIVE")
    return {"update": dict(eks.start_update(cluster, kind, changes).described)}


def _logging(eks: Eks, cluster: Cluster, requested: Params) -> Changes:
    on = {t for e in _entries(cluster.described["logging"]) if e["enabled"] for t in e["types"]}
    for entry in requested.get("clusterLogging", []):
        types = set(entry.get("types", []))
        on = on | types if entry.get("enabled") else on - types
    wanted = logging_of({"clusterLogging": [{"types": sorted(on), "enabled": True}]})
    if wanted == cluster.described["logging"]:
        raise checks.invalid("No changes needed for the logging config provided")
    cluster.described["logging"] = wanted
    ensure_log_group(eks, cluster)
    return "LoggingUpdate", {"ClusterLogging": wanted}


def _vpc(eks: Eks, cluster: Cluster, requested: Params) -> Changes:
    config = cluster.described["resourcesVpcConfig"]
    before = dict(config)
    network = {key: requested[key] for key in ("subnetIds", "securityGroupIds") if key in requested}
    if "subnetIds" in network:
        checks.subnets(eks.account, network["subnetIds"], cluster.vpc_id)
        checks.two_zones(eks.account, network["subnetIds"])
        checks.same_zones(eks.account, network["subnetIds"], config["subnetIds"])
    checks.security_groups(eks.account, network.get("securityGroupIds", []), cluster.vpc_id)
    wanted = {**config, **network, **endpoint_access(requested, config)}
    if wanted == before:
        raise checks.invalid(
            "Cluster is already at the desired configuration with "
            f"endpointPrivateAccess: {config['endpointPrivateAccess']}, "
            f"endpointPublicAccess: {config['endpointPublicAccess']}, and "
            f"Public Endpoint Restrictions: {config['publicAccessCidrs']}"
        )
    config.update(wanted)
    if network:
        return "VpcConfigUpdate", {"Subnets": config["subnetIds"]}
    return "EndpointAccessUpdate", {
        "EndpointPublicAccess": config["endpointPublicAccess"],
        "EndpointPrivateAccess": config["endpointPrivateAccess"],
        "PublicAccessCidrs": config["publicAccessCidrs"],
    }


def _access(_eks: Eks, cluster: Cluster, requested: Params) -> Changes:
    current = cluster.described["accessConfig"]["authenticationMode"]
    wanted = requested.get("authenticationMode", current)
    if wanted == current:
        raise checks.invalid(f"Cluster is already at the desired authentication mode: {current}")
    if MODES.index(wanted) < MODES.index(current):
        raise checks.invalid(f"Unsupported authentication mode update from {current} to {wanted}")
    cluster.described["accessConfig"]["authenticationMode"] = wanted
    return "AccessConfigUpdate", {"AuthenticationMode": wanted}


def _setting(key: str, kind: str, param: str) -> Callable[[Eks, Cluster, object], Changes]:
    def change(_eks: Eks, cluster: Cluster, requested: object) -> Changes:
        if cluster.described.get(key) == requested:
            raise checks.invalid(f"Cluster is already at the desired {key}: {requested}")
        cluster.described[key] = requested
        return kind, {param: requested}

    return change


CONFIG_CHANGES: dict[str, Callable[..., Changes]] = {
    "logging": _logging,
    "resourcesVpcConfig": _vpc,
    "accessConfig": _access,
    "upgradePolicy": _setting("upgradePolicy", "UpgradePolicyUpdate", "UpgradePolicy"),
    "deletionProtection": _setting(
        "deletionProtection", "DeletionProtectionUpdate", "DeletionProtection"
    ),
    **{key: _setting(key, "ConfigUpdate", key[0].upper() + key[1:]) for key in ECHOED},
}
"""Changes by the parameter of UpdateClusterConfig."""


def _entries(logging: Answer) -> list[Answer]:
    return logging["clusterLogging"]


HANDLERS = {
    "UpdateClusterConfig": update_cluster_config,
    "UpdateClusterVersion": update_cluster_version,
    "AssociateEncryptionConfig": associate_encryption_config,
    "DescribeUpdate": describe_update,
    "ListUpdates": list_updates,
}
