"""Plays the webhook that tells the API server whose a token of `aws eks get-token` is."""

import base64
import binascii
import datetime
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, now

PREFIX = "k8s-aws-v1."
"""Begins every token; a presigned URL of sts:GetCallerIdentity in base64 follows
(kubernetes-sigs/aws-iam-authenticator, README: "How does it work?")."""
VALID_FOR = datetime.timedelta(minutes=15)
"""Maximum age of a token (hashicorp/terraform-provider-kubernetes#1131)."""
SKEW = datetime.timedelta(minutes=5)
"""Maximum time by which a signature may be ahead of STS's clock (clock-skew)."""
KNOWN_AFTER = datetime.timedelta(seconds=2)
"""Time until the API server knows a new entry (401 before) or a new policy (403 before); on AWS
about 5 to 60 s (access-policy-takes-effect-late: gravitational/teleport#37958).
"""
ALL_KNOW_AFTER = datetime.timedelta(seconds=3)
"""Time until both API servers know it; before, answers alternate (same issue)."""
ADMIN = "AmazonEKSClusterAdminPolicy"
"""The only access policy that is played, at cluster scope; other policies grant nothing."""
ADMIN_GROUP = "system:masters"
UNPLAYED = "rehearsal"
"""The user if the account has no cluster: a recorded state is previewed without one."""


class Authenticator:
    """Answers TokenReviews of the API server."""

    def __init__(self, eks: Eks) -> None:
        self.eks = eks
        self._reviews = 0

    def review(self, review: Mapping[str, Any]) -> Answer:
        """A TokenReview with its status. Call it with EKS's lock held."""
        self._reviews += 1
        user = self._user(str(review.get("spec", {}).get("token", "")))
        status = {"authenticated": True, "user": user} if user else {"authenticated": False}
        return {"apiVersion": review["apiVersion"], "kind": "TokenReview", "status": status}

    def _user(self, token: str) -> Answer | None:
        signed = _signed(token)
        if signed is None:
            return None
        access_key, signed_at = signed
        if not now() - VALID_FOR < signed_at < now() + SKEW:
            return None
        if not self.eks.clusters:
            return {"username": UNPLAYED, "groups": [ADMIN_GROUP]}
        principal = self.eks.account.caller(access_key)
        cluster = next(iter(self.eks.clusters.values()))
        entry = cluster.access_entries.get(principal)
        if entry is None or not self._known(entry["createdAt"]):
            return None
        groups = [*entry["kubernetesGroups"]]
        if self._is_admin(cluster, principal):
            groups.append(ADMIN_GROUP)
        name = entry["username"].replace("{{SessionName}}", access_key)
        return {"username": name, "groups": groups}

    def _is_admin(self, cluster: Cluster, principal: str) -> bool:
        policies = cluster.access_policies.get(principal, {})
        return any(
            arn.endswith(f"/{ADMIN}")
            and policy["accessScope"]["type"] == "cluster"
            and self._known(policy["associatedAt"])
            for arn, policy in policies.items()
        )

    def _known(self, since: datetime.datetime) -> bool:
        age = now() - since
        if age >= ALL_KNOW_AFTER:
            return True
        return age >= KNOWN_AFTER and self._reviews % 2 == 0


def _signed(token: str) -> tuple[str, datetime.datetime] | None:
    """Access key and time of a presigned GetCallerIdentity; None for any other token."""
    encoded = token.removeprefix(PREFIX)
    try:
        url = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
        query = parse_qs(urlsplit(url).query)
        access_key = query["X-Amz-Credential"][0].partition("/")[0]
        signed_at = datetime.datetime.strptime(query["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ")
    except (binascii.Error, UnicodeDecodeError, KeyError, ValueError):
        return None
    asks = query.get("Action") == ["GetCallerIdentity"] and token.startswith(PREFIX)
    return (access_key, signed_at.replace(tzinfo=datetime.UTC)) if asks else None
