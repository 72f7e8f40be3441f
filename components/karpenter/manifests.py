"""Manifests of Karpenter's objects, used both to check and to send them."""

from collections.abc import Mapping
from typing import Any

API_VERSIONS = {"EC2NodeClass": "karpenter.k8s.aws/v1", "NodePool": "karpenter.sh/v1"}


def manifest(kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a node class or a pool. Pulumi waits until the object is Ready: a wrong
    selector or a missing permission then fails the deployment, not the first pod.
    """
    return {
        "apiVersion": API_VERSIONS[kind],
        "kind": kind,
        "metadata": {"name": name, "annotations": {"pulumi.com/waitFor": "condition=Ready"}},
        "spec": spec,
    }
