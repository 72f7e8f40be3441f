"""Pod identity associations: which role the pods of a service account get.

EKS's webhook gives containers the variables by which they ask for credentials, when their pod is
admitted. It knows an association only some seconds after it was made, which no call tells: a pod
admitted before gets no credentials for ever (facts pod-identity-association-late).
"""

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import checks
from rehearsal.aws.eks_service.pod_identity_policy import admission_policy, policy_reference
from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, Params, now, page

SERVICE = "pods.eks.amazonaws.com"
OPTIONAL = ("disableSessionTags", "targetRoleArn", "policy")


def create_pod_identity_association(eks: Eks, params: Params) -> Answer:
    """CreatePodIdentityAssociation. A service account can have one."""
    cluster = eks.active_cluster(params["clusterName"])
    return {"association": associate(eks, cluster, params)}


def associate(eks: Eks, cluster: Cluster, params: Params, owner: str | None = None) -> Answer:
    """Adds an association; `owner` is the ARN of the add-on that it belongs to. Raises AwsError."""
    namespace, account = params["namespace"], params["serviceAccount"]
    check_role(eks, params["roleArn"])
    for known in cluster.pod_identities.values():
        if (known["namespace"], known["serviceAccount"]) == (namespace, account):
            raise AwsError(
                "ResourceInUseException", f"Association already exists: {known['associationId']}"
            )
    key = f"a-{eks.account.random_hex(17)}"
    association: Answer = {
        "clusterName": cluster.name,
        "namespace": namespace,
        "serviceAccount": account,
        "roleArn": params["roleArn"],
        "associationArn": eks.arn("podidentityassociation", cluster.name, key),
        "associationId": key,
        "tags": params.get("tags", {}),
        "createdAt": now(),
        "modifiedAt": now(),
        **({"ownerArn": owner} if owner else {}),
        **{name: params[name] for name in OPTIONAL if name in params},
    }
    cluster.pod_identities[key] = association

    def learn() -> None:
        known = cluster.pod_identities.get(key) is association
        if known and eks.clusters.get(cluster.name) is cluster:
            eks.kubernetes.apply(admission_policy(namespace, account))

    eks.teach_webhooks(learn)
    return association


def dissociate(eks: Eks, cluster: Cluster, key: str) -> None:
    """Removes an association: the agent then refuses pods that have its variables."""
    gone = cluster.pod_identities.pop(key)
    eks.kubernetes.delete(policy_reference(gone["namespace"], gone["serviceAccount"]))


def remove_policies(eks: Eks, cluster: Cluster) -> None:
    """Removes all policies of the associations from the API server."""
    for association in cluster.pod_identities.values():
        where = association["namespace"], association["serviceAccount"]
        eks.kubernetes.delete(policy_reference(*where))


def check_role(eks: Eks, arn: str) -> None:
    """Raises AwsError unless the role exists and EKS may hand it to pods."""
    if not eks.account.has_role(arn):
        raise checks.invalid(f"Role provided in the request does not exist: {arn}")
    if not eks.account.role_trusts(arn, SERVICE, ["sts:AssumeRole", "sts:TagSession"]):
        raise checks.invalid(
            f"Trust policy of role {arn} is not valid: it must allow {SERVICE} to do "
            "sts:AssumeRole and sts:TagSession"
        )


def describe_pod_identity_association(eks: Eks, params: Params) -> Answer:
    """DescribePodIdentityAssociation."""
    return {"association": _found(eks, params)}


def update_pod_identity_association(eks: Eks, params: Params) -> Answer:
    """UpdatePodIdentityAssociation: another role."""
    association = _found(eks, params)
    if "roleArn" in params:
        check_role(eks, params["roleArn"])
    association.update({k: params[k] for k in ("roleArn", *OPTIONAL) if k in params})
    association["modifiedAt"] = now()
    return {"association": association}


def delete_pod_identity_association(eks: Eks, params: Params) -> Answer:
    """DeletePodIdentityAssociation."""
    association = _found(eks, params)
    if "ownerArn" in association:
        raise AwsError(
            "InvalidRequestException",
            f"The association is owned by {association['ownerArn']}: change it there",
        )
    dissociate(eks, eks.cluster(params["clusterName"]), params["associationId"])
    return {"association": association}


def list_pod_identity_associations(eks: Eks, params: Params) -> Answer:
    """ListPodIdentityAssociations, of a namespace or service account if given."""
    wanted = {k: params[k] for k in ("namespace", "serviceAccount") if k in params}
    summary = (
        "clusterName", "namespace", "serviceAccount", "associationArn", "associationId", "ownerArn"
    )  # fmt: skip
    associations = [
        {key: association[key] for key in summary if key in association}
        for association in eks.cluster(params["clusterName"]).pod_identities.values()
        if wanted.items() <= association.items()
    ]
    return page(associations, params, "associations")


def _found(eks: Eks, params: Params) -> Answer:
    association = eks.cluster(params["clusterName"]).pod_identities.get(params["associationId"])
    if association is None:
        raise AwsError(
            "ResourceNotFoundException",
            f"Association not found with id: {params['associationId']}",
        )
    return association


HANDLERS = {
    "CreatePodIdentityAssociation": create_pod_identity_association,
    "DescribePodIdentityAssociation": describe_pod_identity_association,
    "UpdatePodIdentityAssociation": update_pod_identity_association,
    "DeletePodIdentityAssociation": delete_pod_identity_association,
    "ListPodIdentityAssociations": list_pod_identity_associations,
}
