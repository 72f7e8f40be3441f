"""Karpenter's objects as the API server gets them: the same for who checks and who sends them."""

from collections.abc import Mapping
from typing import Any

API_VERSIONS = {"EC2NodeClass": "karpenter.k8s.aws/v1", "NodePool": "karpenter.sh/v1"}


def manifest(kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A node class or a pool, which is waited for until it is Ready: a wrong selector or a missing
    right then fails the deployment, not the first pod."""
    return {
        "apiVersion": API_VERSIONS[kind],
        "kind": kind,
        "metadata": {"name": name, "annotations": {"pulumi.com/waitFor": "condition=Ready"}},
        "spec": spec,
    }
