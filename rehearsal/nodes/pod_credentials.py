"""Checks if a pod gets AWS credentials by IRSA or EKS Pod Identity, as STS and EKS would."""

import fnmatch
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)
from lightkube.resources.core_v1 import Pod

from rehearsal.aws.eks_service.fargate_policy import SCHEDULER as FARGATE_SCHEDULER
from rehearsal.aws.eks_service.pod_identity_policy import FULL_URI
from rehearsal.clients import aws_client
from rehearsal.state import Endpoints

ANNOTATION = "eks.amazonaws.com/role-arn"
AUDIENCE = "sts.amazonaws.com"
AWS_ERRORS = (ClientError, BotoCoreError)
POD_IDENTITY = "pods.eks.amazonaws.com"


class NoCredentialsError(Exception):
    """Why the AWS SDK in a pod would find no credentials, in one sentence."""


@dataclass(frozen=True, kw_only=True)
class ServiceAccount:
    """Service account of pods."""

    namespace: str
    name: str
    role_arn: str | None
    """Role in its annotation, which requests IRSA."""

    @property
    def subject(self) -> str:
        """Subject in the token of its pods."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"


@dataclass(frozen=True, kw_only=True)
class Granted:
    """Role that a pod's SDK can assume, and the way to it."""

    role_arn: str
    by_web_identity: bool
    """True for IRSA, false for EKS Pod Identity."""


class PlayedAws:
    """The played AWS, with the credentials of the account's administrator."""

    def __init__(self, endpoints: Endpoints) -> None:
        services = ("eks", "iam", "ec2", "sts")
        self.eks, self.iam, self.ec2, self.sts = (
            aws_client(service, endpoints) for service in services
        )
        self.region = endpoints["region"]
        # One session a role: with other keys at each look its process would start anew each time.
        self.session_of = cache(self._session_of)

    def clusters(self) -> list[str]:
        """Names of the account's clusters."""
        return self.eks.list_clusters()["clusters"]

    def _session_of(self, role_arn: str) -> dict[str, str]:
        """Keys of a session of this role, as STS hands them out."""
        return self.sts.assume_role(RoleArn=role_arn, RoleSessionName="rehearsal")["Credentials"]

    def grant(self, account: ServiceAccount, pod: Pod) -> Granted:
        """Role that this pod of the service account gets. Raises NoCredentialsError if none."""
        if account.role_arn:
            self.require_web_identity(account)
            return Granted(role_arn=account.role_arn, by_web_identity=True)
        assert pod.spec
        if pod.spec.schedulerName == FARGATE_SCHEDULER:
            raise NoCredentialsError(
                f"service account {account.namespace}/{account.name} has no annotation "
                f"{ANNOTATION}, and EKS Pod Identity does not work on Fargate"
            )
        role_arn = self._associated(account)
        # Put in at admission only: a pod that came before never gets them.
        if not any(variable.name == FULL_URI for variable in pod.spec.containers[0].env or []):
            raise NoCredentialsError(
                f"the pod was admitted before EKS's webhook knew the pod identity association of "
                f"{account.namespace}/{account.name}: it lacks {FULL_URI} until it is made anew"
            )
        return Granted(role_arn=role_arn, by_web_identity=False)

    def require_web_identity(self, account: ServiceAccount) -> None:
        """Raises NoCredentialsError if STS would refuse the token of these pods (IRSA)."""
        arn = account.role_arn or ""
        document = self._trust(arn)
        refusals = [self._refusal(issuer, document, account) for issuer in self._issuers()]
        if not refusals:
            raise NoCredentialsError(f"role {arn} cannot be taken on: there is no cluster")
        if None not in refusals:
            raise NoCredentialsError(
                f"role {arn} cannot be taken on by {account.subject}, not authorized to perform "
                f"sts:AssumeRoleWithWebIdentity: {refusals[0]}"
            )

    def _issuers(self) -> list[str]:
        """Each cluster's OIDC issuer without its scheme, as conditions and ARNs spell it."""
        clusters = [self.eks.describe_cluster(name=name)["cluster"] for name in self.clusters()]
        return [
            cluster["identity"]["oidc"]["issuer"].removeprefix("https://") for cluster in clusters
        ]

    def _refusal(
        self, issuer: str, document: Mapping[str, Any], account: ServiceAccount
    ) -> str | None:
        for arn in self._providers():
            if arn.endswith(f":oidc-provider/{issuer}"):
                known = self.iam.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
                if AUDIENCE not in known.get("ClientIDList", []):
                    return f"the OIDC provider {arn} does not have the audience {AUDIENCE}"
                claims = {f"{issuer}:sub": account.subject, f"{issuer}:aud": AUDIENCE}
                return untrusted(document, "sts:AssumeRoleWithWebIdentity", arn, claims)
        return f"IAM has no OIDC provider for the cluster's issuer https://{issuer}"

    def _providers(self) -> list[str]:
        listed = self.iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
        return [provider["Arn"] for provider in listed]

    def _trust(self, arn: str) -> Mapping[str, Any]:
        name = arn.rpartition("/")[2]
        try:
            role = self.iam.get_role(RoleName=name)["Role"]
        except ClientError as error:
            raise NoCredentialsError(f"role {arn} cannot be taken on: {error}") from None
        if role["Arn"] != arn:
            raise NoCredentialsError(f"role {arn} does not exist, only {role['Arn']}")
        document = role["AssumeRolePolicyDocument"]
        return json.loads(document) if isinstance(document, str) else document

    def _associated(self, account: ServiceAccount) -> str:
        where = {"namespace": account.namespace, "serviceAccount": account.name}
        for cluster in self.clusters():
            listed = self.eks.list_pod_identity_associations(clusterName=cluster, **where)
            for association in listed["associations"]:
                description = self.eks.describe_pod_identity_association(
                    clusterName=cluster, associationId=association["associationId"]
                )
                arn = description["association"]["roleArn"]
                tags = {
                    "aws:RequestTag/eks-cluster-name": cluster,
                    "aws:RequestTag/kubernetes-namespace": account.namespace,
                    "aws:RequestTag/kubernetes-service-account": account.name,
                }
                for action in ("sts:AssumeRole", "sts:TagSession"):
                    if why := untrusted(self._trust(arn), action, POD_IDENTITY, tags):
                        raise NoCredentialsError(
                            f"role {arn} cannot be taken on by {POD_IDENTITY}: {why}"
                        )
                return arn
        raise NoCredentialsError(
            f"service account {account.namespace}/{account.name} has neither the annotation "
            f"{ANNOTATION} nor a pod identity association"
        )


def untrusted(
    document: Mapping[str, Any], action: str, principal: str, context: Mapping[str, str]
) -> str | None:
    """Why a trust policy refuses this action to this principal, None if it allows it.

    `context` holds the values of condition keys; a key that is not there has no value.
    """
    statements = listed(document.get("Statement"))
    fitting = [statement for statement in statements if _names(statement, action, principal)]
    refusing = [
        statement
        for statement in fitting
        if statement["Effect"] == "Deny" and not _unmet(statement, context)
    ]
    if refusing:
        return f"its trust policy denies {action} to {principal}"
    unmet = [_unmet(statement, context) for statement in fitting if statement["Effect"] == "Allow"]
    if not unmet:
        return f"its trust policy does not allow {action} to {principal}"
    return None if None in unmet else unmet[0]


def _names(statement: Mapping[str, Any], action: str, principal: str) -> bool:
    actions = [str(pattern).lower() for pattern in listed(statement.get("Action"))]
    if not any(fnmatch.fnmatchcase(action.lower(), pattern) for pattern in actions):
        return False
    named: Any = statement.get("Principal")
    if isinstance(named, dict):
        kinds = cast(dict[str, Any], named)
        named = [name for kind in ("Federated", "Service") for name in listed(kinds.get(kind))]
    return principal in listed(named) or "*" in listed(named)


def _unmet(statement: Mapping[str, Any], context: Mapping[str, str]) -> str | None:
    """First condition that does not hold, as a sentence; None if all hold."""
    conditions: Mapping[str, Mapping[str, Any]] = statement.get("Condition") or {}
    for operator, keys in conditions.items():
        for key, wanted in keys.items():
            got = context.get(key)
            values = [str(value) for value in listed(wanted)]
            if not _holds(operator, got, values):
                return f"its trust policy wants {key} {operator} {values}, but it is {got!r}"
    return None


def _holds(operator: str, got: str | None, wanted: Sequence[str]) -> bool:
    match operator.removeprefix("ForAnyValue:").removeprefix("ForAllValues:"):
        case "StringEquals" | "ArnEquals":
            return got in wanted
        case "StringEqualsIfExists":
            return got is None or got in wanted
        case "StringLike" | "ArnLike":
            return got is not None and any(fnmatch.fnmatchcase(got, pattern) for pattern in wanted)
        case "StringNotEquals":
            return got not in wanted
        case _:
            # A condition that nobody here understands must not pass for met.
            return False


def listed(value: Any) -> list[Any]:
    """A list as it is, another value as a list of one; none of None."""
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]
