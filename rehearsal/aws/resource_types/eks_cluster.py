"""The EKS control plane."""

from typing import Any

from rehearsal.aws.provider.codecs import ONE_IN_A_LIST
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.eks_words import TAGS, field_changed, retagged
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    UNORDERED,
    UNREAD,
    Codec,
    Ready,
    ResourceType,
    Values,
    When,
    call,
    prop,
)

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _to_logging(types: list[str]) -> list[Values]:
    # What is not named is switched off, also when an update takes a type away.
    on = [{"types": sorted(types), "enabled": True}] if types else []
    off = [{"types": [t for t in LOG_TYPES if t not in types], "enabled": False}]
    return on + (off if off[0]["types"] else [])


def _from_logging(setups: list[Values]) -> list[str]:
    return [t for setup in setups if setup["enabled"] for t in setup["types"]]


def _log_types(inputs: Values) -> str | None:
    unknown = [t for t in as_list(inputs.get("enabledClusterLogTypes")) if t not in LOG_TYPES]
    if not unknown:
        return None
    return (
        f"InvalidParameterException: enabledClusterLogTypes has {', '.join(unknown)}: "
        f"allowed are {', '.join(LOG_TYPES)}"
    )


def _endpoint_is_reachable(inputs: Values) -> str | None:
    network = as_object(inputs.get("vpcConfig"))
    public = network.get("endpointPublicAccess")
    if public is False and not network.get("endpointPrivateAccess"):
        return (
            "InvalidParameterException: Private and public endpoint access cannot be false "
            "(vpcConfig.endpointPublicAccess, vpcConfig.endpointPrivateAccess)"
        )
    if public is False and network.get("publicAccessCidrs"):
        return (
            "InvalidParameterException: vpcConfig.publicAccessCidrs needs "
            "vpcConfig.endpointPublicAccess"
        )
    return None


def _update_network(running: Running) -> None:
    old, new = as_object(running.old.get("vpcConfig")), running.inputs["vpcConfig"]
    # EKS takes one kind of change at a time.
    for names in (
        ("endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs"),
        ("subnetIds", "securityGroupIds"),
    ):
        if any(old.get(name) != new.get(name) for name in names):
            part = {name: new[name] for name in names if new.get(name) is not None}
            running.api("UpdateClusterConfig", name=running.id, resourcesVpcConfig=part)
            running.wait_until_ready()


def _update_access(running: Running) -> None:
    mode = as_object(running.inputs.get("accessConfig")).get("authenticationMode")
    if mode:
        access = {"authenticationMode": mode}
        running.api("UpdateClusterConfig", name=running.id, accessConfig=access)


def _key_changed(old: Any, new: Any) -> bool:
    # Encryption can be switched on later, but neither off nor to another key.
    return bool(old) and old != new


CLUSTER = ResourceType(
    token="aws:eks/cluster:Cluster",
    service="eks",
    properties={
        "name": prop(REPLACES, autoname=100),
        "roleArn": prop(REQUIRED, REPLACES),
        "version": prop(COMPUTED),
        "vpcConfig": prop(
            REQUIRED,
            UNORDERED,
            api="resourcesVpcConfig",
            names={"subnetIds": "subnetIds"},
            computed_inside=("clusterSecurityGroupId", "vpcId"),
        ),
        "accessConfig": prop(
            COMPUTED, replaces_when=field_changed("bootstrapClusterCreatorAdminPermissions")
        ),
        "bootstrapSelfManagedAddons": prop(REPLACES, UNREAD, default=True),
        "deletionProtection": prop(COMPUTED),
        "enabledClusterLogTypes": prop(
            UNORDERED,
            api="logging.clusterLogging",
            codec=Codec(_to_logging, _from_logging),
            cleared=[],
        ),
        "encryptionConfig": prop(codec=ONE_IN_A_LIST, replaces_when=_key_changed),
        "kubernetesNetworkConfig": prop(REPLACES, COMPUTED),
        "upgradePolicy": prop(COMPUTED),
        "zonalShiftConfig": prop(COMPUTED),
        "forceUpdateVersion": prop(UNREAD),
        "tags": TAGS,
    },
    rules=(_log_types, _endpoint_is_reachable),
    id="name",
    create=(call("CreateCluster", at="cluster"),),
    read=(call("DescribeCluster", name="{id}", at="cluster"),),
    update=(
        When(
            ("version",),
            call(
                "UpdateClusterVersion",
                takes=(),
                name="{id}",
                version="{version}",
                force="{forceUpdateVersion}",
            ),
        ),
        When(("vpcConfig",), _update_network),
        When(("accessConfig",), _update_access),
        When(
            ("enabledClusterLogTypes",),
            call("UpdateClusterConfig", takes=("enabledClusterLogTypes",), name="{id}"),
        ),
        When(
            ("upgradePolicy",),
            call("UpdateClusterConfig", takes=("upgradePolicy",), name="{id}"),
        ),
        When(
            ("deletionProtection",),
            call("UpdateClusterConfig", takes=("deletionProtection",), name="{id}"),
        ),
        When(
            ("zonalShiftConfig",),
            call("UpdateClusterConfig", takes=("zonalShiftConfig",), name="{id}"),
        ),
        When(
            ("encryptionConfig",),
            call("AssociateEncryptionConfig", takes=("encryptionConfig",), clusterName="{id}"),
        ),
        retagged("{arn}"),
    ),
    delete=(call("DeleteCluster", takes=(), name="{id}"),),
    ready=Ready(
        "status", states=("ACTIVE",), pending=("CREATING", "UPDATING", "PENDING", "DELETING")
    ),
    outputs={
        "arn": "arn",
        "certificateAuthority": "certificateAuthority",
        "clusterId": "id",
        "createdAt": "createdAt",
        "endpoint": "endpoint",
        "identities": "[{oidcs: [identity.oidc]}]",
        "platformVersion": "platformVersion",
        "status": "status",
    },
    changing=("platformVersion",),
)

PAGE = (CLUSTER,)
