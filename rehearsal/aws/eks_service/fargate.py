"""Fargate profiles: which pods run on Fargate. The API server is told by admission policies.

The policies play EKS's mutating webhook, which knows a profile only some seconds after it turned
ACTIVE: a pod admitted before keeps its scheduler, and nobody looks at it again (facts
fargate-webhook-race-default-scheduler).
"""

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import access, checks
from rehearsal.aws.eks_service.fargate_policy import (
    PROFILE_LABEL,
    admission_policy,
    policy_reference,
)
from rehearsal.aws.eks_service.state import GONE, Answer, Cluster, Eks, Params, Resource, now, page

SERVICE = "eks-fargate-pods.amazonaws.com"
MAX_PROFILES, MAX_SELECTORS, MAX_LABELS = 10, 5, 5


def create_fargate_profile(eks: Eks, params: Params) -> Answer:
    """CreateFargateProfile. One at a time: EKS refuses a second while one is under way."""
    cluster = eks.active_cluster(params["clusterName"])
    name = params["fargateProfileName"]
    if name in cluster.fargate_profiles:
        raise AwsError(
            "ResourceInUseException", f"Fargate Profile already exists with name: {name}"
        )
    if len(cluster.fargate_profiles) >= MAX_PROFILES:
        # facts: fargate-profile-quota. The message is EKS's own pattern, not one that was seen.
        raise AwsError(
            "ResourceLimitExceededException",
            f"Fargate Profile limit exceeded for cluster {cluster.name}: {MAX_PROFILES}",
        )
    _check_alone(cluster, f"create Fargate Profile {name}")
    _check_selectors(params.get("selectors", []))
    role = params["podExecutionRoleArn"]
    checks.role_trusted_by(
        eks.account,
        role,
        SERVICE,
        f"Misconfigured PodExecutionRole Trust Policy; Please add the {SERVICE} Service Principal",
    )
    subnets = params.get("subnets") or eks.account.private_subnets(cluster.vpc_id)
    checks.subnets(eks.account, subnets, cluster.vpc_id)
    for subnet in subnets:
        if eks.account.is_public(subnet):
            raise checks.invalid(
                f"Subnet {subnet} provided in Fargate Profile is not a private subnet"
            )
    access.add_node_role(eks, cluster, role, "FARGATE_LINUX")
    described: Answer = {
        "fargateProfileName": name,
        "fargateProfileArn": eks.arn(
            "fargateprofile", cluster.name, name, eks.account.random_hex(32)
        ),
        "clusterName": cluster.name,
        "createdAt": now(),
        "podExecutionRoleArn": role,
        "subnets": subnets,
        "selectors": params["selectors"],
        "status": "CREATING",
        "tags": params.get("tags", {}),
        "health": {"issues": []},
    }
    profile = Resource(described)
    profile.transition = eks.later(lambda: _activate(eks, cluster, profile))
    cluster.fargate_profiles[name] = profile
    return {"fargateProfile": described}


def describe_fargate_profile(eks: Eks, params: Params) -> Answer:
    """DescribeFargateProfile."""
    return {"fargateProfile": _found(eks, params).described}


def list_fargate_profiles(eks: Eks, params: Params) -> Answer:
    """ListFargateProfiles."""
    cluster = eks.cluster(params["clusterName"])
    return page(sorted(cluster.fargate_profiles), params, "fargateProfileNames")


def delete_fargate_profile(eks: Eks, params: Params) -> Answer:
    """DeleteFargateProfile. The profile's pods are deleted with it."""
    profile, name = _found(eks, params), params["fargateProfileName"]
    if profile.status != "DELETING":
        _check_alone(eks.cluster(params["clusterName"]), f"delete Fargate Profile {name}")
        eks.kubernetes.delete(policy_reference(name))
        profile.described["status"] = "DELETING"
        profile.transition = eks.later(lambda: _evict(eks, name))
    return {"fargateProfile": profile.described}


def remove_policies(eks: Eks, cluster: Cluster) -> None:
    """Removes all policies of the profiles from the API server."""
    for name in cluster.fargate_profiles:
        eks.kubernetes.delete(policy_reference(name))


def _activate(eks: Eks, cluster: Cluster, profile: Resource) -> str:
    name, selectors = profile.described["fargateProfileName"], profile.described["selectors"]

    def learn() -> None:
        known = cluster.fargate_profiles.get(name) is profile
        if known and profile.status == "ACTIVE" and eks.clusters.get(cluster.name) is cluster:
            eks.kubernetes.apply(admission_policy(name, selectors))

    eks.teach_webhooks(learn)
    return "ACTIVE"


def _evict(eks: Eks, name: str) -> str | None:
    # For a second more the API server may turn new pods into this profile's: hence every time.
    pods = eks.kubernetes.list("v1", "Pod", {PROFILE_LABEL: name})
    eks.kubernetes.delete(pod for pod in pods if not pod["metadata"].get("deletionTimestamp"))
    return None if pods else GONE


def _check_alone(cluster: Cluster, what: str) -> None:
    for other, profile in cluster.fargate_profiles.items():
        if profile.status in ("CREATING", "DELETING"):
            raise AwsError(
                "ResourceInUseException",
                f"Cannot {what} because cluster {cluster.name} currently has Fargate profile "
                f"{other} in status {profile.status}",
            )


def _check_selectors(selectors: list[Params]) -> None:
    if not 0 < len(selectors) <= MAX_SELECTORS:
        raise checks.invalid(
            f"Fargate profile must have between 1 and {MAX_SELECTORS} selectors, "
            f"got {len(selectors)}"
        )
    for selector in selectors:
        if not selector.get("namespace"):
            raise checks.invalid("Fargate profile selector must have a namespace")
        if len(selector.get("labels", {})) > MAX_LABELS:
            raise checks.invalid(
                f"Fargate profile selector can have at most {MAX_LABELS} labels, "
                f"got {len(selector['labels'])}"
            )


def _found(eks: Eks, params: Params) -> Resource:
    profiles = eks.cluster(params["clusterName"]).fargate_profiles
    if params["fargateProfileName"] not in profiles:
        raise AwsError(
            "ResourceNotFoundException",
            f"No Fargate Profile found with name: {params['fargateProfileName']}.",
        )
    return profiles[params["fargateProfileName"]]


HANDLERS = {
    "CreateFargateProfile": create_fargate_profile,
    "DescribeFargateProfile": describe_fargate_profile,
    "ListFargateProfiles": list_fargate_profiles,
    "DeleteFargateProfile": delete_fargate_profile,
}
