"""Admission policy by which pods of a service account get the variables of Pod Identity."""

from rehearsal.aws.eks_service.admission_policies import policy_and_binding, reference, text
from rehearsal.aws.eks_service.kubernetes import Object

# EKS user guide, "Understand how EKS Pod Identity works": what the webhook adds to containers.
FULL_URI = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
VARIABLES = {
    FULL_URI: "http://169.254.170.23/v1/credentials",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": (
        "/var/run/secrets/pods.eks.amazonaws.com/serviceaccount/eks-pod-identity-token"
    ),
}
ANNOTATION = "eks.amazonaws.com/pod-identity"


def admission_policy(namespace: str, account: str) -> list[Object]:
    """The policy and binding of one service account."""
    variables = ", ".join(
        f"Object.spec.containers.env{{name: {text(name)}, value: {text(value)}}}"
        for name, value in VARIABLES.items()
    )
    mutation = (
        "Object{spec: Object.spec{containers: object.spec.containers.map(c, "
        f"Object.spec.containers{{name: c.name, env: [{variables}]}})}}}}"
    )
    conditions = {
        "namespace": f"request.namespace == {text(namespace)}",
        "account": f"object.spec.?serviceAccountName.orValue('default') == {text(account)}",
    }
    return policy_and_binding(policy_reference(namespace, account), conditions, mutation)


def policy_reference(namespace: str, account: str) -> list[Object]:
    """Reference to a service account's policy and binding, by name only."""
    key = f"{namespace}/{account}"
    return reference("eks-pod-identity", key, {ANNOTATION: key})
