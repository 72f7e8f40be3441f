"""Plays EKS add-ons: installed into the API server, ACTIVE once their pods run."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import json
import time
from typing import Any

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import checks, pod_identity
from rehearsal.aws.eks_service.addon_manifests import (
    Installation,
    manifest,
    objects_of,
    parse_values,
    unready,
)
from rehearsal.aws.eks_service.kubernetes import Conflict
from rehearsal.aws.eks_service.state import GONE, Answer, Cluster, Eks, Params, Resource, now, page

SELF_MANAGED = ("vpc-cni", "kube-proxy", "coredns")
"""Add-ons that EKS installs by itself unless bootstrapSelfManagedAddons is false."""


def create_addon(eks: Eks, params: Params) -> Answer:
    """CreateAddon."""
    cluster = eks.active_cluster(params["clusterName"])
    name = params["addonName"]
    if name in cluster.addons:
        raise AwsError("ResourceInUseException", f"Addon already exists with name: {name}")
    version = check_version(eks, cluster, name, params.get("addonVersion"))
    _check(eks, params)
    key = eks.account.random_hex(32)
    described: Answer = {
        "addonName": name,
        "clusterName": cluster.name,
        "status": "CREATING",
        "addonVersion": version,
        "health": {"issues": []},
        "addonArn": eks.arn("addon", cluster.name, name, key),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": params.get("tags", {}),
        **{k: params[k] for k in ("serviceAccountRoleArn", "configurationValues") if k in params},
    }
    addon = Resource(described)
    _set_identities(eks, cluster, described, params.get("podIdentityAssociations", []))
    _install(eks, addon, params.get("resolveConflicts", "NONE"))
    cluster.addons[name] = addon
    cluster.preserved_addons.discard(name)
    return {"addon": described}


def describe_addon(eks: Eks, params: Params) -> Answer:
    """DescribeAddon."""
    return {"addon": _found(eks, params).described}


def list_addons(eks: Eks, params: Params) -> Answer:
    """ListAddons."""
    return page(sorted(eks.cluster(params["clusterName"]).addons), params, "addons")


def update_addon(eks: Eks, params: Params) -> Answer:
    """UpdateAddon: version, role, configuration values. Values that are not given return to their
    defaults.
    """
    cluster = eks.active_cluster(params["clusterName"])
    addon, name = _found(eks, params), params["addonName"]
    if addon.status not in ("ACTIVE", "DEGRADED", "CREATE_FAILED", "UPDATE_FAILED"):
        raise AwsError(
            "ResourceInUseException", f"Cannot update addon {name}: it is {addon.status}"
        )
    _check(eks, params)
    version = params.get("addonVersion") or addon.described["addonVersion"]
    addon.described["addonVersion"] = check_version(eks, cluster, name, version)
    for key in ("serviceAccountRoleArn", "configurationValues"):
        addon.described.pop(key, None)
        if key in params:
            addon.described[key] = params[key]
    if "podIdentityAssociations" in params:
        _drop_identities(eks, cluster, addon)
        _set_identities(eks, cluster, addon.described, params["podIdentityAssociations"])
    addon.described.update(status="UPDATING", modifiedAt=now())
    _install(eks, addon, params.get("resolveConflicts", "NONE"))
    changes = {"AddonVersion": version, "ResolveConflicts": params.get("resolveConflicts", "NONE")}
    update = eks.start_update(cluster, "AddonUpdate", changes, (name, None))
    return {"update": dict(update.described)}


def delete_addon(eks: Eks, params: Params) -> Answer:
    """DeleteAddon. With `preserve` the objects stay until the cluster is deleted."""
    cluster = eks.cluster(params["clusterName"])
    addon, name = _found(eks, params), params["addonName"]
    if addon.status != "DELETING":
        if params.get("preserve"):
            cluster.preserved_addons.add(name)
        else:
            eks.kubernetes.delete(manifest(name).objects)
        _drop_identities(eks, cluster, addon)
        addon.described["status"] = "DELETING"
        addon.transition = eks.later(lambda: GONE)
    return {"addon": addon.described}


def describe_addon_versions(eks: Eks, params: Params) -> Answer:
    """DescribeAddonVersions: the versions that this project knows."""
    table: dict[str, dict[str, list[Answer]]] = {}
    for minor, addons in eks.addon_versions.items():
        if params.get("kubernetesVersion", minor) != minor:
            continue
        for name, versions in addons.items():
            if params.get("addonName", name) != name:
                continue
            for place, version in enumerate(versions):
                works: Answer = {
                    "clusterVersion": minor,
                    "platformVersions": ["*"],
                    "defaultVersion": place == 0,
                }
                table.setdefault(name, {}).setdefault(version, []).append(works)
    if "addonName" in params and not table:
        raise checks.invalid(f"Addon {params['addonName']} specified is not supported")
    known = [_version_info(name, versions) for name, versions in table.items()]
    return page(known, params, "addons")


def describe_addon_configuration(eks: Eks, params: Params) -> Answer:
    """DescribeAddonConfiguration: the schema of the configuration values."""
    name, version = params["addonName"], params["addonVersion"]
    versions = {v for minor in eks.addon_versions.values() for v in minor.get(name, ())}
    if version not in versions:
        raise checks.invalid("Addon version specified is not supported")
    schema = json.dumps(manifest(name).schema)
    return {"addonName": name, "addonVersion": version, "configurationSchema": schema}


def check_version(eks: Eks, cluster: Cluster, addon: str, version: str | None) -> str:
    """The version, or the default when none is given. Raises AwsError for an unknown one."""
    known = eks.addon_versions.get(cluster.version, {})
    if addon not in known:
        raise checks.invalid(
            f"Addon {addon} specified is not supported in {cluster.version} kubernetes version"
        )
    versions = list(known[addon])
    if version and version not in versions:
        raise checks.invalid(f"Addon version specified is not supported: {addon} {version}")
    return version or versions[0]


def install_self_managed(eks: Eks, cluster: Cluster) -> None:
    """Installs what every cluster has by itself, unless told otherwise."""
    for name in SELF_MANAGED:
        version = check_version(eks, cluster, name, None)
        wanted = Installation(region=eks.account.region, version=version, role_arn=None, values={})
        eks.kubernetes.apply(objects_of(name, wanted))
        cluster.preserved_addons.add(name)


def remove_all(eks: Eks, cluster: Cluster) -> None:
    """Removes everything that add-ons left in the API server, when the cluster is deleted."""
    for name in {*cluster.addons, *cluster.preserved_addons}:
        eks.kubernetes.delete(manifest(name).objects)


def _check(eks: Eks, params: Params) -> None:
    parse_values(params["addonName"], params.get("configurationValues"))
    role = params.get("serviceAccountRoleArn")
    if role and not eks.account.has_role(role):
        raise checks.invalid(f"The role with arn {role} does not exist")
    for association in params.get("podIdentityAssociations", []):
        pod_identity.check_role(eks, association["roleArn"])


def _install(eks: Eks, addon: Resource, conflicts: str) -> None:
    described = addon.described
    name = described["addonName"]
    wanted = Installation(
        region=eks.account.region,
        version=described["addonVersion"],
        role_arn=described.get("serviceAccountRoleArn"),
        values=parse_values(name, described.get("configurationValues")),
    )
    failed = "CREATE_FAILED" if described["status"] == "CREATING" else "UPDATE_FAILED"
    try:
        eks.kubernetes.apply(objects_of(name, wanted), force=conflicts == "OVERWRITE")
    except Conflict as conflict:
        _set_issue(described, "ConfigurationConflict", str(conflict))
        addon.transition = eks.later(lambda: failed)
        return
    deadline = time.monotonic() + eks.degraded_after
    addon.transition = eks.later(lambda: _finish_installation(eks, described, deadline))


def _finish_installation(eks: Eks, described: Answer, deadline: float) -> str | None:
    problem = unready(eks.kubernetes, described["addonName"])
    if problem is None:
        described["health"] = {"issues": []}
        return "ACTIVE"
    if time.monotonic() >= deadline:
        described["status"] = "DEGRADED"
        _set_issue(described, "InsufficientNumberOfReplicas", problem)
    return None


def _set_issue(described: Answer, code: str, message: str) -> None:
    issue = {"code": code, "message": message, "resourceIds": []}
    described["health"] = {"issues": [issue]}


def _set_identities(eks: Eks, cluster: Cluster, described: Answer, requested: list[Params]) -> None:
    namespace = manifest(described["addonName"]).namespace
    made = [
        pod_identity.associate(
            eks, cluster, {**association, "namespace": namespace}, owner=described["addonArn"]
        )
        for association in requested
    ]
    described["podIdentityAssociations"] = [association["associationArn"] for association in made]


def _drop_identities(eks: Eks, cluster: Cluster, addon: Resource) -> None:
    arn = addon.described["addonArn"]
    for key, association in list(cluster.pod_identities.items()):
        if association.get("ownerArn") == arn:
            pod_identity.dissociate(eks, cluster, key)


def _version_info(name: str, versions: dict[str, list[Answer]]) -> Answer:
    infos: list[dict[str, Any]] = [
        {
            "addonVersion": version,
            "architecture": ["amd64", "arm64"],
            "compatibilities": compatibilities,
            "requiresConfiguration": False,
            "requiresIamPermissions": name
            in ("vpc-cni", "aws-ebs-csi-driver", "aws-efs-csi-driver"),
        }
        for version, compatibilities in versions.items()
    ]
    return {
        "addonName": name,
        "type": "networking",
        "publisher": "eks",
        "owner": "aws",
        "addonVersions": infos,
        "defaultNamespace": manifest(name).namespace,
    }


def _found(eks: Eks, params: Params) -> Resource:
    cluster = eks.cluster(params["clusterName"])
    if params["addonName"] not in cluster.addons:
        raise AwsError(
            "ResourceNotFoundException",
            f"No addon: {params['addonName']} found in cluster: {cluster.name}",
        )
    return cluster.addons[params["addonName"]]


HANDLERS = {
    "CreateAddon": create_addon,
    "DescribeAddon": describe_addon,
    "ListAddons": list_addons,
    "UpdateAddon": update_addon,
    "DeleteAddon": delete_addon,
    "DescribeAddonVersions": describe_addon_versions,
    "DescribeAddonConfiguration": describe_addon_configuration,
}
