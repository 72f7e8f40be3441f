"""Access entries and the access policies associated with them."""

import uuid

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import checks
from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, Params, now, page

STANDARD = "STANDARD"
NODE_GROUPS = {
    "EC2_LINUX": ["system:nodes"],
    "EC2_WINDOWS": ["eks:kube-proxy-windows", "system:nodes"],
    "FARGATE_LINUX": ["system:bootstrappers", "system:node-proxier", "system:nodes"],
    "EC2": ["system:nodes"],
    "HYBRID_LINUX": ["system:nodes"],
    "HYPERPOD_LINUX": ["system:nodes"],
}
"""Kubernetes groups by type of access entry, for the types that are for nodes."""
NODE_USER = {"FARGATE_LINUX": "system:node:{{SessionName}}"}
CAN_HAVE_POLICIES = (STANDARD, "EC2")

ACCESS_POLICIES = [
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSAutoNodePolicy",
    "AmazonEKSBlockStorageClusterPolicy",
    "AmazonEKSBlockStoragePolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSClusterInsightsPolicy",
    "AmazonEKSComputeClusterPolicy",
    "AmazonEKSComputePolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSHybridPolicy",
    "AmazonEKSLoadBalancingClusterPolicy",
    "AmazonEKSLoadBalancingPolicy",
    "AmazonEKSNetworkingClusterPolicy",
    "AmazonEKSNetworkingPolicy",
    "AmazonEKSSecretReaderPolicy",
    "AmazonEKSViewPolicy",
]


def create_access_entry(eks: Eks, params: Params) -> Answer:
    """CreateAccessEntry, for a role or user of the account."""
    cluster = _with_entries(eks, params["clusterName"])
    principal = params["principalArn"]
    if not eks.account.has_principal(principal):
        raise checks.invalid(
            f"The specified principalArn is invalid: invalid principal. {principal} is not in "
            f"account {eks.account.id}"
        )
    if principal in cluster.access_entries:
        raise AwsError(
            "ResourceInUseException",
            "The specified access entry resource is already in use on this cluster.",
        )
    kind = params.get("type", STANDARD)
    if kind != STANDARD and kind not in NODE_GROUPS:
        raise checks.invalid(f"The access entry type {kind} is not valid")
    if kind != STANDARD and (params.get("kubernetesGroups") or params.get("username")):
        raise checks.invalid(
            f"An access entry of type {kind} cannot have kubernetesGroups or a username"
        )
    _check_groups(params.get("kubernetesGroups", []))
    entry = _add(eks, cluster, principal, kind)
    entry.update({k: params[k] for k in ("kubernetesGroups", "username", "tags") if k in params})
    return {"accessEntry": entry}


def describe_access_entry(eks: Eks, params: Params) -> Answer:
    """DescribeAccessEntry."""
    return {"accessEntry": _entry(eks.cluster(params["clusterName"]), params)}


def update_access_entry(eks: Eks, params: Params) -> Answer:
    """UpdateAccessEntry: groups and user name of a STANDARD entry."""
    entry = _entry(_with_entries(eks, params["clusterName"]), params)
    if entry["type"] != STANDARD:
        raise AwsError(
            "InvalidRequestException", f"Access entries of type {entry['type']} cannot be updated"
        )
    _check_groups(params.get("kubernetesGroups", []))
    entry.update({k: params[k] for k in ("kubernetesGroups", "username") if k in params})
    entry["modifiedAt"] = now()
    return {"accessEntry": entry}


def delete_access_entry(eks: Eks, params: Params) -> Answer:
    """DeleteAccessEntry, with its associations."""
    cluster = _with_entries(eks, params["clusterName"])
    _entry(cluster, params)
    del cluster.access_entries[params["principalArn"]]
    cluster.access_policies.pop(params["principalArn"], None)
    return {}


def list_access_entries(eks: Eks, params: Params) -> Answer:
    """ListAccessEntries; only those with a policy if one is given."""
    cluster = eks.cluster(params["clusterName"])
    policy = params.get("associatedPolicyArn")
    arns = [
        arn
        for arn in cluster.access_entries
        if not policy or policy in cluster.access_policies.get(arn, {})
    ]
    return page(arns, params, "accessEntries")


def associate_access_policy(eks: Eks, params: Params) -> Answer:
    """AssociateAccessPolicy. A second call for the same policy changes its scope."""
    cluster = _with_entries(eks, params["clusterName"])
    entry, policy, scope = _entry(cluster, params), params["policyArn"], params["accessScope"]
    if entry["type"] not in CAN_HAVE_POLICIES:
        raise AwsError(
            "InvalidRequestException",
            f"Access policies cannot be associated with an access entry of type {entry['type']}",
        )
    if policy not in policy_arns(eks):
        raise checks.invalid(f"The policyArn parameter format is not valid: {policy}")
    if scope.get("type") == "namespace" and not scope.get("namespaces"):
        raise checks.invalid("accessScope of type namespace needs namespaces")
    if scope.get("type") == "cluster" and scope.get("namespaces"):
        raise checks.invalid("accessScope of type cluster cannot have namespaces")
    associated = cluster.access_policies.setdefault(params["principalArn"], {})
    associated[policy] = _association(policy, scope)
    return {**_whose(params), "associatedAccessPolicy": associated[policy]}


def disassociate_access_policy(eks: Eks, params: Params) -> Answer:
    """DisassociateAccessPolicy."""
    cluster = _with_entries(eks, params["clusterName"])
    _entry(cluster, params)
    associated = cluster.access_policies.get(params["principalArn"], {})
    if params["policyArn"] not in associated:
        raise AwsError(
            "ResourceNotFoundException", "No associated access policy found for the policyArn"
        )
    del associated[params["policyArn"]]
    return {}


def list_associated_access_policies(eks: Eks, params: Params) -> Answer:
    """ListAssociatedAccessPolicies."""
    cluster = eks.cluster(params["clusterName"])
    _entry(cluster, params)
    associated = cluster.access_policies.get(params["principalArn"], {})
    return {**_whose(params), **page(associated.values(), params, "associatedAccessPolicies")}


def list_access_policies(eks: Eks, params: Params) -> Answer:
    """ListAccessPolicies."""
    known = [{"name": arn.rpartition("/")[2], "arn": arn} for arn in policy_arns(eks)]
    return page(known, params, "accessPolicies")


def add_creator(eks: Eks, cluster: Cluster, principal: str) -> None:
    """Adds the entry that EKS creates for the caller of CreateCluster, unless told otherwise."""
    policy = (
        f"arn:{eks.account.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    )
    if cluster.uses_access_entries:
        _add(eks, cluster, principal, STANDARD)
        association = _association(policy, {"type": "cluster", "namespaces": []})
        cluster.access_policies[principal] = {policy: association}


def add_node_role(eks: Eks, cluster: Cluster, role: str, kind: str) -> None:
    """Adds the entry that EKS creates for the role of a node group or Fargate profile."""
    if cluster.uses_access_entries and role not in cluster.access_entries:
        _add(eks, cluster, role, kind)


def policy_arns(eks: Eks) -> list[str]:
    """ARNs of the access policies that EKS has."""
    prefix = f"arn:{eks.account.partition}:eks::aws:cluster-access-policy"
    return [f"{prefix}/{name}" for name in ACCESS_POLICIES]


def _with_entries(eks: Eks, name: str) -> Cluster:
    cluster = eks.active_cluster(name)
    if not cluster.uses_access_entries:
        raise AwsError(
            "InvalidRequestException",
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] "
            "to perform this operation.",
        )
    return cluster


def _entry(cluster: Cluster, params: Params) -> Answer:
    entry = cluster.access_entries.get(params["principalArn"])
    if entry is None:
        raise AwsError(
            "ResourceNotFoundException",
            "The specified principalArn could not be found. You can view your available access "
            "entries with 'list-access-entries'.",
        )
    return entry


def _add(eks: Eks, cluster: Cluster, principal: str, kind: str) -> Answer:
    what, _, name = principal.rpartition(":")[2].partition("/")
    entry: Answer = {
        "clusterName": cluster.name,
        "principalArn": principal,
        "kubernetesGroups": NODE_GROUPS.get(kind, []),
        "accessEntryArn": eks.arn(
            "access-entry", cluster.name, what, eks.account.id, name, str(uuid.uuid4())
        ),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": {},
        "username": _username(principal, kind),
        "type": kind,
    }
    cluster.access_entries[principal] = entry
    return entry


def _username(principal: str, kind: str) -> str:
    if kind != STANDARD:
        return NODE_USER.get(kind, "system:node:{{EC2PrivateDNSName}}")
    if ":role/" not in principal:
        return principal
    session = principal.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/")
    return f"{session}/{{{{SessionName}}}}"


def _check_groups(groups: list[str]) -> None:
    for group in groups:
        if group.startswith(("system:", "eks:", "aws:", "amazon:", "iam:")):
            raise checks.invalid(
                f"The kubernetes group name {group} is invalid, it cannot start with "
                f"{group.partition(':')[0]}:"
            )


def _association(policy: str, scope: Answer) -> Answer:
    return {
        "policyArn": policy,
        "accessScope": {"type": scope["type"], "namespaces": scope.get("namespaces", [])},
        "associatedAt": now(),
        "modifiedAt": now(),
    }


def _whose(params: Params) -> Answer:
    return {"clusterName": params["clusterName"], "principalArn": params["principalArn"]}


HANDLERS = {
    "CreateAccessEntry": create_access_entry,
    "DescribeAccessEntry": describe_access_entry,
    "UpdateAccessEntry": update_access_entry,
    "DeleteAccessEntry": delete_access_entry,
    "ListAccessEntries": list_access_entries,
    "AssociateAccessPolicy": associate_access_policy,
    "DisassociateAccessPolicy": disassociate_access_policy,
    "ListAssociatedAccessPolicies": list_associated_access_policies,
    "ListAccessPolicies": list_access_policies,
}
