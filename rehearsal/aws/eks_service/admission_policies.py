"""Plays EKS's mutating webhooks by admission policies of the API server."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rehearsal.aws.eks_service.kubernetes import Object

API_VERSION = "admissionregistration.k8s.io/v1"


def policy_and_binding(
    objects: list[Object], conditions: Mapping[str, str], mutation: str
) -> list[Object]:
    """A policy for pods when they are made, and its binding, of a `reference`.

    `conditions` are CEL expressions by name, all of which must hold; `mutation` is the CEL
    expression of an apply configuration. In force about a second after they are made.
    """
    policy, binding = objects
    created_pods: dict[str, Any] = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    policy["spec"] = {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [created_pods]},
        "matchConditions": [
            {"name": name, "expression": expression} for name, expression in conditions.items()
        ],
        "mutations": [
            {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": mutation}}
        ],
    }
    binding["spec"] = {"policyName": policy["metadata"]["name"]}
    return [policy, binding]


def reference(prefix: str, key: str, annotations: Mapping[str, str]) -> list[Object]:
    """Reference to a policy and its binding, by name only; `key` tells apart those of one
    prefix.
    """
    # A key may have capitals and underscores, an object's name may not.
    digest = hashlib.sha256(key.encode()).hexdigest()[:10]
    metadata = {"name": f"{prefix}-{digest}", "annotations": dict(annotations)}
    kinds = ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
    return [{"apiVersion": API_VERSION, "kind": k, "metadata": dict(metadata)} for k in kinds]


def text(value: str) -> str:
    """A CEL string literal: JSON's escapes are CEL's."""
    return json.dumps(value)
