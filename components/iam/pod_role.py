"""An IAM role for the pods of one Kubernetes service account."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..names import ROLE_STEM_LIMIT, fitted
from ..placement import RunsOn


@dataclass(frozen=True, kw_only=True)
class PodRoleArgs:
    """The service account of the pods, and the policies of its role."""

    cluster: ClusterRef
    """The cluster of the pods."""
    runs_on: RunsOn
    """Compute of the pods: IRSA on Fargate, Pod Identity on nodes."""
    namespace: str
    """Namespace of the service account."""
    service_account: str
    """Name of the service account."""
    policy: pulumi.Input[Mapping[str, Any]] | None = None
    """Policy document for the role alone."""
    managed_policies: Mapping[str, pulumi.Input[str]] = field(
        default_factory=dict[str, pulumi.Input[str]]
    )
    """ARNs of managed policies by the name of their attachment."""
    account_comes_later: bool = False
    """True if a chart or an EKS add-on creates the service account: its pods then wait for a while
    after the association, which is created before the account.
    """
    physical_name: str | None = None
    """Name of the role, only if users look for it; at most 64 characters."""


class PodRole(pulumi.ComponentResource):
    """An IAM role for the pods of a service account: by IRSA on Fargate, where EKS Pod Identity
    does not work, otherwise by Pod Identity.
    """

    role_arn: pulumi.Output[str]
    """ARN of the role; resolves once the policies are attached."""
    annotations: Mapping[str, pulumi.Input[str]]
    """Annotations that the service account must have for the role to reach its pods."""

    def __init__(
        self, name: str, args: PodRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:PodRole", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        pods = {"namespace": args.namespace, "service_account": args.service_account}

        match args.runs_on:
            case RunsOn.FARGATE:
                inputs = pulumi.Output.all(oidc_provider_arn=args.cluster.oidc_provider_arn, **pods)
                trust = inputs.apply(lambda known: irsa_trust(**known))
            case RunsOn.NODES:
                inputs = pulumi.Output.all(cluster=args.cluster.live_name, **pods)
                trust = inputs.apply(lambda known: pod_identity_trust(**known))
        role = aws.iam.Role(
            fitted(name, ROLE_STEM_LIMIT),
            name=args.physical_name,
            assume_role_policy=pulumi.Output.json_dumps(trust),
            opts=child,
        )
        attachments: list[aws.iam.RolePolicy | aws.iam.RolePolicyAttachment] = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{noun}", role=role.name, policy_arn=arn, opts=child
            )
            for noun, arn in args.managed_policies.items()
        ]
        if args.policy is not None:
            document = pulumi.Output.json_dumps(args.policy)
            attachments.append(
                aws.iam.RolePolicy(f"{name}-policy", role=role.name, policy=document, opts=child)
            )
        attached = pulumi.Output.all(*(each.id for each in attachments))
        self.role_arn = pulumi.Output.all(role.arn, attached).apply(lambda known: known[0])

        match args.runs_on:
            case RunsOn.FARGATE:
                self.annotations = {"eks.amazonaws.com/role-arn": self.role_arn}
            case RunsOn.NODES:
                self.annotations = {}
                made = (
                    args.cluster.admission.associating(args.namespace, args.service_account)
                    if args.account_comes_later
                    else None
                )
                aws.eks.PodIdentityAssociation(
                    f"{name}-association",
                    cluster_name=args.cluster.live_name,
                    namespace=args.namespace,
                    service_account=args.service_account,
                    role_arn=self.role_arn,
                    opts=pulumi.ResourceOptions(parent=self, hooks=made),
                )
        self.register_outputs({"roleArn": self.role_arn})


def irsa_trust(*, oidc_provider_arn: str, namespace: str, service_account: str) -> dict[str, Any]:
    """Trust policy for tokens that this cluster signs for one service account."""
    issuer = oidc_provider_arn.partition(":oidc-provider/")[2]
    claims = {
        f"{issuer}:aud": "sts.amazonaws.com",
        f"{issuer}:sub": f"system:serviceaccount:{namespace}:{service_account}",
    }
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": oidc_provider_arn},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {"StringEquals": claims},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def pod_identity_trust(*, cluster: str, namespace: str, service_account: str) -> dict[str, Any]:
    """Trust policy for EKS Pod Identity, limited to one service account of this cluster."""
    # Without the tags every association in the account could hand the role out.
    tags = {
        "aws:RequestTag/eks-cluster-name": cluster,
        "aws:RequestTag/kubernetes-namespace": namespace,
        "aws:RequestTag/kubernetes-service-account": service_account,
    }
    statement = {
        "Sid": "AllowEksAuthToAssumeRoleForPodIdentity",
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {"StringEquals": tags},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}
