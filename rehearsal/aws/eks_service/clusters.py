"""Plays EKS clusters: create, describe, list, delete."""

from typing import Any

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import access, addons, checks, fargate, pod_identity
from rehearsal.aws.eks_service.state import CALLER, GONE, Answer, Cluster, Eks, Params, now, page

PLATFORM_VERSION = "eks.1"
SERVICE_CIDR, OTHER_SERVICE_CIDR = "10.100.0.0/16", "172.20.0.0/16"
LOG_TYPES = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
NOT_PLAYED = ("outpostConfig", "computeConfig", "storageConfig", "remoteNetworkConfig")
ECHOED = (
    "zonalShiftConfig",
    "controlPlaneScalingConfig",
    "kubeApiServerConfig",
    "kubeSchedulerConfig",
    "kubeControllerManagerConfig",
)
"""Settings of the control plane that have no effect in a rehearsal."""


def create_cluster(eks: Eks, params: Params) -> Answer:
    """CreateCluster. The API server behind it is the rehearsal's own."""
    _check_new(eks, params)
    vpc = params["resourcesVpcConfig"]
    vpc_id = _check_network(eks, params)
    checks.cluster_role(eks.account, params["roleArn"])
    checks.encryption(eks.account, params.get("encryptionConfig", []))
    eks.kubernetes.check()

    name = params["name"]
    described = _describe_new(eks, params, vpc_id)
    group_name = f"eks-cluster-sg-{name}-{eks.account.random_hex(9)}"
    group = eks.account.create_security_group(
        vpc_id,
        group_name,
        {
            "Name": group_name,
            "aws:eks:cluster-name": name,
            f"kubernetes.io/cluster/{name}": "owned",
        },
    )
    described["resourcesVpcConfig"]["clusterSecurityGroupId"] = group
    cluster = Cluster(described, eks.later(lambda: "ACTIVE"))
    cluster.network_interfaces = [
        eks.account.create_network_interface(subnet, group, f"Amazon EKS {name}")
        for subnet in vpc["subnetIds"]
    ]
    eks.clusters[name] = cluster
    ensure_log_group(eks, cluster)
    if _bootstraps_creator(params):
        access.add_creator(eks, cluster, params[CALLER])
    if params.get("bootstrapSelfManagedAddons", True):
        addons.install_self_managed(eks, cluster)
    return {"cluster": described}


def describe_cluster(eks: Eks, params: Params) -> Answer:
    """DescribeCluster."""
    return {"cluster": eks.cluster(params["name"]).described}


def list_clusters(eks: Eks, params: Params) -> Answer:
    """ListClusters."""
    return page(sorted(eks.clusters), params, "clusters")


def delete_cluster(eks: Eks, params: Params) -> Answer:
    """DeleteCluster. Refused while it is protected, or has node groups or Fargate profiles."""
    cluster = eks.cluster(params["name"])
    if cluster.described["deletionProtection"]:
        raise AwsError(
            "InvalidRequestException",
            f"Cannot delete cluster {cluster.name}: deletion protection is enabled. Disable it "
            "with UpdateClusterConfig first",
        )
    for what, resources in (
        ("nodegroups", cluster.nodegroups),
        ("Fargate profiles", cluster.fargate_profiles),
    ):
        if resources:
            raise AwsError(
                "ResourceInUseException", f"Cluster has {what} attached: {sorted(resources)}"
            )
    if cluster.status == "UPDATING":
        raise update_in_progress(cluster, "delete")
    eks.kubernetes.check()
    cluster.described["status"] = "DELETING"
    cluster.transition = eks.later(lambda: _finish_deletion(eks, cluster))
    return {"cluster": cluster.described}


def update_in_progress(cluster: Cluster, operation: str) -> AwsError:
    """Error with which EKS refuses a call while an update runs (behaviour
    cluster-one-update-at-a-time).
    """
    return AwsError(
        "ResourceInUseException",
        f"Cannot {operation} because cluster {cluster.name} currently has an update in progress",
    )


def ensure_log_group(eks: Eks, cluster: Cluster) -> None:
    """Creates the control plane's log group, without retention, if there is none."""
    if _is_logging(cluster):
        eks.account.ensure_log_group(f"/aws/eks/{cluster.name}/cluster")


def _is_logging(cluster: Cluster) -> bool:
    logging = cluster.described["logging"]["clusterLogging"]
    return any(entry["enabled"] and entry["types"] for entry in logging)


def logging_of(logging: Params | None) -> Answer:
    """Control-plane logs that are enabled, with all others disabled."""
    entries = (logging or {}).get("clusterLogging", [])
    on = {kind for entry in entries if entry.get("enabled") for kind in entry.get("types", [])}
    groups = [
        ([t for t in LOG_TYPES if (t in on) is enabled], enabled) for enabled in (True, False)
    ]
    return {"clusterLogging": [{"types": t, "enabled": enabled} for t, enabled in groups if t]}


def endpoint_access(requested: Params, current: Params) -> Answer:
    """Endpoint access: requested values override current ones. Raises AwsError."""
    keys = ("endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs")
    merged = {key: requested.get(key, current[key]) for key in keys}
    if not (merged["endpointPublicAccess"] or merged["endpointPrivateAccess"]):
        raise checks.invalid("Private and public endpoint access cannot both be false")
    if not merged["endpointPublicAccess"]:
        if requested.get("publicAccessCidrs"):
            raise checks.invalid(
                "publicAccessCidrs cannot be set when public endpoint access is disabled"
            )
        merged["publicAccessCidrs"] = []
    elif not merged["publicAccessCidrs"]:
        merged["publicAccessCidrs"] = ["0.0.0.0/0"]
    checks.public_cidrs(merged["publicAccessCidrs"])
    return merged


def _bootstraps_creator(params: Params) -> bool:
    return params.get("accessConfig", {}).get("bootstrapClusterCreatorAdminPermissions", True)


def _check_new(eks: Eks, params: Params) -> None:
    name = params["name"]
    if name in eks.clusters:
        raise AwsError("ResourceInUseException", f"Cluster already exists with name: {name}")
    if eks.clusters:
        raise AwsError(
            "ResourceLimitExceededException",
            f"Cluster limit exceeded for account: a rehearsal has one API server, and "
            f"{next(iter(eks.clusters))} runs on it",
        )
    for key in NOT_PLAYED:
        if any(params.get(key, {}).values()):
            raise checks.invalid(f"The rehearsal does not play {key}: leave it out")
    version = params.get("version")
    if version and version not in eks.addon_versions:
        raise checks.invalid(f"unsupported Kubernetes version: {version}")


def _check_network(eks: Eks, params: Params) -> str:
    vpc = params["resourcesVpcConfig"]
    subnets = vpc.get("subnetIds", [])
    if not subnets:
        raise checks.invalid("Subnets specified must be in at least two different AZs")
    vpc_id = checks.subnets(eks.account, subnets)
    checks.zones_with_eks(eks.account, subnets, params["name"])
    checks.two_zones(eks.account, subnets)
    checks.security_groups(eks.account, vpc.get("securityGroupIds", []), vpc_id)
    cidr = params.get("kubernetesNetworkConfig", {}).get("serviceIpv4Cidr")
    if cidr:
        checks.service_cidr(eks.account, cidr, vpc_id)
    return vpc_id


def _describe_new(eks: Eks, params: Params, vpc_id: str) -> Answer:
    name, vpc = params["name"], params["resourcesVpcConfig"]
    asked_access = params.get("accessConfig", {})
    default_access: dict[str, Any] = {
        "endpointPublicAccess": True,
        "endpointPrivateAccess": False,
        "publicAccessCidrs": [],
    }
    issuer = f"https://oidc.eks.{eks.account.region}.amazonaws.com/id"
    return {
        "name": name,
        "arn": eks.arn("cluster", name),
        "createdAt": now(),
        "version": params.get("version") or max(eks.addon_versions, key=minor),
        "endpoint": eks.control_plane.endpoint,
        "roleArn": params["roleArn"],
        "resourcesVpcConfig": {
            "subnetIds": vpc["subnetIds"],
            "securityGroupIds": vpc.get("securityGroupIds", []),
            "vpcId": vpc_id,
            **endpoint_access(vpc, default_access),
        },
        "kubernetesNetworkConfig": _service_network(eks, params, vpc_id),
        "logging": logging_of(params.get("logging")),
        "identity": {"oidc": {"issuer": f"{issuer}/{eks.account.random_hex(32).upper()}"}},
        "status": "CREATING",
        "certificateAuthority": {"data": eks.control_plane.ca_data()},
        "platformVersion": PLATFORM_VERSION,
        "tags": params.get("tags", {}),
        "encryptionConfig": params.get("encryptionConfig", []),
        "health": {"issues": []},
        "accessConfig": {
            "authenticationMode": asked_access.get("authenticationMode", "CONFIG_MAP"),
            "bootstrapClusterCreatorAdminPermissions": _bootstraps_creator(params),
        },
        "upgradePolicy": {
            "supportType": params.get("upgradePolicy", {}).get("supportType", "EXTENDED")
        },
        "deletionProtection": params.get("deletionProtection", False),
        **{key: params[key] for key in ECHOED if key in params},
    }


def _service_network(eks: Eks, params: Params, vpc_id: str) -> Answer:
    network = params.get("kubernetesNetworkConfig", {})
    cidr = network.get("serviceIpv4Cidr")
    if not cidr:
        # AWS takes 172.20.0.0/16 for a VPC in 10.0.0.0/8, so that nothing overlaps.
        ten = checks.SERVICE_RANGES[0]
        overlaps = any(own.overlaps(ten) for own in eks.account.vpc_networks(vpc_id))
        cidr = OTHER_SERVICE_CIDR if overlaps else SERVICE_CIDR
    return {"serviceIpv4Cidr": cidr, "ipFamily": network.get("ipFamily", "ipv4")}


def _finish_deletion(eks: Eks, cluster: Cluster) -> str:
    addons.remove_all(eks, cluster)
    fargate.remove_policies(eks, cluster)
    pod_identity.remove_policies(eks, cluster)
    eks.account.delete_network_interfaces(cluster.network_interfaces)
    eks.account.delete_security_group(
        cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"]
    )
    if _is_logging(cluster):
        # The last lines are written afterwards, by EKS's service-linked role: a group that went
        # with the cluster comes back, without tags and retention.
        eks.late(eks.log_group_returns, lambda: ensure_log_group(eks, cluster))
    return GONE


def minor(version: str) -> tuple[int, ...]:
    """Sort key of a Kubernetes version: 1.9 comes before 1.10."""
    return tuple(int(part) for part in version.split("."))


HANDLERS = {
    "CreateCluster": create_cluster,
    "DescribeCluster": describe_cluster,
    "ListClusters": list_clusters,
    "DeleteCluster": delete_cluster,
}
