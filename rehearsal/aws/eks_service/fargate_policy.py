"""The admission policy by which the API server sends a Fargate profile's pods to Fargate."""

import hashlib
import json
import re
from typing import Any

from rehearsal.aws.eks_service.kubernetes import Object

PROFILE_LABEL = "eks.amazonaws.com/fargate-profile"
COMPUTE_ANNOTATION = "eks.amazonaws.com/compute-type"
SCHEDULER = "fargate-scheduler"
API_VERSION = "admissionregistration.k8s.io/v1"


def admission_policy(profile: str, selectors: list[dict[str, Any]]) -> list[Object]:
    """The policy of one profile, and what binds it. In force about a second later."""
    policy, binding = policy_reference(profile)
    created_pods = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    mutation = (
        f"Object{{metadata: Object.metadata{{labels: {{{_text(PROFILE_LABEL)}: "
        f"{_text(profile)}}}}}, spec: Object.spec{{schedulerName: {_text(SCHEDULER)}}}}}"
    )
    policy["spec"] = {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [created_pods]},
        "matchConditions": [
            {"name": name, "expression": expression}
            for name, expression in _conditions(profile, selectors).items()
        ],
        "mutations": [
            {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": mutation}}
        ],
    }
    binding["spec"] = {"policyName": policy["metadata"]["name"]}
    return [policy, binding]


def policy_reference(profile: str) -> list[Object]:
    """Policy and binding of a profile, by name only."""
    # A profile's name may have capitals and underscores, an object's name may not.
    digest = hashlib.sha256(profile.encode()).hexdigest()[:10]
    metadata = {
        "name": f"eks-fargate-profile-{digest}",
        "annotations": {PROFILE_LABEL: profile},
    }
    kinds = ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
    return [{"apiVersion": API_VERSION, "kind": k, "metadata": dict(metadata)} for k in kinds]


def _conditions(profile: str, selectors: list[dict[str, Any]]) -> dict[str, str]:
    label, annotation = _text(PROFILE_LABEL), _text(COMPUTE_ANNOTATION)
    labels = "object.metadata.?labels"
    return {
        "selected": " || ".join(_selector(selector) for selector in selectors),
        # A pod that several profiles select goes to the first, or to the one that it names.
        "not-yet-on-fargate": f"object.spec.?schedulerName.orValue('') != {_text(SCHEDULER)}",
        "not-another-profile": f"{labels}[?{label}].orValue({_text(profile)}) == {_text(profile)}",
        # CoreDNS of the add-on carries this until its computeType is Fargate.
        "not-meant-for-ec2": f"object.metadata.?annotations[?{annotation}].orValue('') != 'ec2'",
        "not-of-a-daemon-set": (
            "!object.metadata.?ownerReferences.orValue([]).exists(o, o.kind == 'DaemonSet')"
        ),
    }


def _selector(selector: dict[str, Any]) -> str:
    wanted = [f"request.namespace.matches({_pattern(selector['namespace'])})"]
    for key, value in selector.get("labels", {}).items():
        wanted.append(
            f"object.metadata.?labels[?{_text(key)}].hasValue() && "
            f"object.metadata.labels[{_text(key)}].matches({_pattern(value)})"
        )
    return f"({' && '.join(wanted)})"


def _pattern(wildcard: str) -> str:
    """A selector's `*` and `?` as a regular expression, in CEL's quotes."""
    special = {"*": ".*", "?": "."}
    return _text("^" + "".join(special.get(c) or re.escape(c) for c in wildcard) + "$")


def _text(text: str) -> str:
    """A CEL string: JSON's escapes are CEL's."""
    return json.dumps(text)
