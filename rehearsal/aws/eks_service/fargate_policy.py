"""Admission policy by which the API server schedules a Fargate profile's pods on Fargate."""

import re
from typing import Any

from rehearsal.aws.eks_service.admission_policies import policy_and_binding, reference, text
from rehearsal.aws.eks_service.kubernetes import Object

PROFILE_LABEL = "eks.amazonaws.com/fargate-profile"
COMPUTE_ANNOTATION = "eks.amazonaws.com/compute-type"
SCHEDULER = "fargate-scheduler"


def admission_policy(profile: str, selectors: list[dict[str, Any]]) -> list[Object]:
    """The policy and binding of one profile, in force about a second later."""
    mutation = (
        f"Object{{metadata: Object.metadata{{labels: {{{text(PROFILE_LABEL)}: "
        f"{text(profile)}}}}}, spec: Object.spec{{schedulerName: {text(SCHEDULER)}}}}}"
    )
    return policy_and_binding(policy_reference(profile), _conditions(profile, selectors), mutation)


def policy_reference(profile: str) -> list[Object]:
    """Reference to a profile's policy and binding, by name only."""
    return reference("eks-fargate-profile", profile, {PROFILE_LABEL: profile})


def _conditions(profile: str, selectors: list[dict[str, Any]]) -> dict[str, str]:
    label, annotation = text(PROFILE_LABEL), text(COMPUTE_ANNOTATION)
    labels = "object.metadata.?labels"
    return {
        "selected": " || ".join(_selector(selector) for selector in selectors),
        # A pod that several profiles select goes to the first, or to the one that it names.
        "not-yet-on-fargate": f"object.spec.?schedulerName.orValue('') != {text(SCHEDULER)}",
        "not-another-profile": f"{labels}[?{label}].orValue({text(profile)}) == {text(profile)}",
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
            f"object.metadata.?labels[?{text(key)}].hasValue() && "
            f"object.metadata.labels[{text(key)}].matches({_pattern(value)})"
        )
    return f"({' && '.join(wanted)})"


def _pattern(wildcard: str) -> str:
    """A selector with `*` and `?` as a regular expression, quoted for CEL."""
    special = {"*": ".*", "?": "."}
    return text("^" + "".join(special.get(c) or re.escape(c) for c in wildcard) + "$")
