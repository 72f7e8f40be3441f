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
    Retry,
    Timeouts,
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


ENDPOINT_FLAGS = ("endpointPublicAccess", "endpointPrivateAccess")


def _update_network(running: Running) -> None:
    """Send what of the network changed: the endpoint, the subnets and the groups each by itself.

    As the real provider does (tests/data/provider/eks.yaml, update_behaviour): both flags of the
    endpoint always together, its addresses only if there are any.
    """
    old, new = as_object(running.old.get("vpcConfig")), running.inputs["vpcConfig"]
    cidrs = new.get("publicAccessCidrs")
    flagged = any(old.get(name) != new.get(name) for name in ENDPOINT_FLAGS)
    if flagged or (cidrs and _set(cidrs) != _set(old.get("publicAccessCidrs"))):
        access = {name: bool(new.get(name)) for name in ENDPOINT_FLAGS}
        _send_network(running, access | ({"publicAccessCidrs": cidrs} if cidrs else {}))
    for name in ("subnetIds", "securityGroupIds"):
        if _set(old.get(name)) != _set(new.get(name)):
            _send_network(running, {name: as_list(new.get(name))})


def _send_network(running: Running, part: Values) -> None:
    running.api("UpdateClusterConfig", name=running.id, resourcesVpcConfig=part)
    running.wait_until_ready()


def _set(values: Any) -> set[str]:
    return set(as_list(values))


def _update_access(running: Running) -> None:
    mode = as_object(running.inputs.get("accessConfig")).get("authenticationMode")
    if mode:
        access = {"authenticationMode": mode}
        running.api("UpdateClusterConfig", name=running.id, accessConfig=access)


def _encrypt(running: Running) -> None:
    # Only from none to one: another key is taken without a word, and nothing is sent.
    if not running.old.get("encryptionConfig"):
        config = ONE_IN_A_LIST.to_api(running.inputs["encryptionConfig"])
        running.api("AssociateEncryptionConfig", clusterName=running.id, encryptionConfig=config)


def _encryption_dropped(old: Any, new: Any) -> bool:
    return bool(old) and not new


CLUSTER = ResourceType(
    token="aws:eks/cluster:Cluster",
    service="eks",
    timeouts=Timeouts(create=30, update=60, delete=15),
    retries=(
        Retry(
            "InvalidParameterException",
            2,
            (
                "does not exist",
                "Error in role params",
                "Role could not be assumed because the trusted entity is not correct",
                "The provided role doesn't have the Amazon EKS Managed Policies associated with it",
                "IAM role's policy must include",
            ),
        ),
    ),
    properties={
        "name": prop(REPLACES, autoname=255),
        "roleArn": prop(REQUIRED, REPLACES),
        "version": prop(COMPUTED),
        "vpcConfig": prop(
            REQUIRED,
            UNORDERED,
            api="resourcesVpcConfig",
            names={"subnetIds": "subnetIds"},
            defaults_inside={"endpointPublicAccess": True, "endpointPrivateAccess": False},
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
        "encryptionConfig": prop(codec=ONE_IN_A_LIST, replaces_when=_encryption_dropped),
        "kubernetesNetworkConfig": prop(
            COMPUTED, replaces_when=field_changed("ipFamily", "serviceIpv4Cidr")
        ),
        "upgradePolicy": prop(COMPUTED),
        "zonalShiftConfig": prop(),
        "forceUpdateVersion": prop(UNREAD),
        "tags": TAGS,
    },
    rules=(_log_types, _endpoint_is_reachable),
    id="name",
    create=(call("CreateCluster", at="cluster"),),
    read=(call("DescribeCluster", name="{id}", at="cluster"),),
    # Each its own call, in the real provider's order (tests/data/provider/eks.yaml).
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
        When(("accessConfig",), _update_access),
        When(
            ("deletionProtection",),
            call("UpdateClusterConfig", takes=("deletionProtection",), name="{id}"),
        ),
        When(("encryptionConfig",), _encrypt),
        When(
            ("enabledClusterLogTypes",),
            call("UpdateClusterConfig", takes=("enabledClusterLogTypes",), name="{id}"),
        ),
        When(
            ("upgradePolicy",),
            call("UpdateClusterConfig", takes=("upgradePolicy",), name="{id}"),
        ),
        When(("vpcConfig",), _update_network),
        When(
            ("zonalShiftConfig",),
            call("UpdateClusterConfig", takes=("zonalShiftConfig",), name="{id}"),
        ),
        retagged("{arn}"),
    ),
    delete=(call("DeleteCluster", takes=(), name="{id}"),),
    # ResourceInUseException: somebody's update, or EKS's own. What is attached has other words.
    delete_retries=(Retry("ResourceInUseException", 60, ("in progress",), capped=False),),
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
