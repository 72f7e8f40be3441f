"""Rules about IAM permissions that are too wide."""

from collections.abc import Iterator

from frugal_eks.plans.json_values import document, statements
from frugal_eks.plans.policy.reading import Object, each, objects
from frugal_eks.plans.policy.rule import ResourceRule, Settings
from frugal_eks.plans.previews import Resource

_IDENTITY = {
    "aws:iam/groupPolicy:GroupPolicy": "policy",
    "aws:iam/policy:Policy": "policy",
    "aws:iam/rolePolicy:RolePolicy": "policy",
    "aws:iam/userPolicy:UserPolicy": "policy",
}
"""Types of identity policies, with the property that holds the document."""
_TRUST = {
    "aws:ecr/repositoryPolicy:RepositoryPolicy": "policy",
    "aws:efs/fileSystemPolicy:FileSystemPolicy": "policy",
    "aws:iam/role:Role": "assumeRolePolicy",
    "aws:kms/key:Key": "policy",
    "aws:kms/keyPolicy:KeyPolicy": "policy",
    "aws:s3/bucketPolicy:BucketPolicy": "policy",
    "aws:secretsmanager/secretPolicy:SecretPolicy": "policy",
    "aws:sns/topic:Topic": "policy",
    "aws:sns/topicPolicy:TopicPolicy": "policy",
    "aws:sqs/queue:Queue": "policy",
    "aws:sqs/queuePolicy:QueuePolicy": "policy",
}
"""Types of resource policies, with the property that holds the document. Policies of VPC endpoints
are absent: the called service checks its own policy too.
"""
_ALL_RIGHTS = "iam::aws:policy/AdministratorAccess"


def _wildcards(resource: Resource, _settings: Settings) -> Iterator[str]:
    for where, policy in _identity_policies(resource):
        for name, statement in _allowed(policy):
            if "*" not in each(statement.get("Resource")):
                continue
            actions = [action for action in each(statement.get("Action")) if _is_wide(str(action))]
            if actions or "NotAction" in statement:
                allowed = ", ".join(actions) or "all actions but NotAction's"
                yield f"{where}: statement {name} allows {allowed} on *"
    for arn in _attached(resource):
        if str(arn).endswith(_ALL_RIGHTS):
            yield f"{arn} allows everything"


def _is_wide(action: str) -> bool:
    return action == "*" or action.endswith(":*")


def _identity_policies(resource: Resource) -> Iterator[tuple[str, object]]:
    if key := _IDENTITY.get(resource.type):
        yield key, resource.inputs.get(key)
    if resource.type == "aws:iam/role:Role":
        for index, inline in enumerate(objects(resource.inputs.get("inlinePolicies"))):
            yield f"inlinePolicies[{index}]", inline.get("policy")


def _attached(resource: Resource) -> Iterator[object]:
    if resource.type.startswith("aws:iam/"):
        for key in ("policyArn", "managedPolicyArns"):
            yield from each(resource.inputs.get(key))


def _anyone(resource: Resource, _settings: Settings) -> Iterator[str]:
    key = _TRUST.get(resource.type)
    if not key:
        return
    for name, statement in _allowed(resource.inputs.get(key)):
        if statement.get("Condition"):
            continue
        if "NotPrincipal" in statement:
            yield f"{key}: statement {name} allows all but its NotPrincipal"
        elif _is_everybody(statement.get("Principal")):
            yield f"{key}: statement {name} allows Principal *"


def _is_everybody(principal: object) -> bool:
    if isinstance(principal, str):
        return principal == "*"
    return any("*" in each(names.get("AWS")) for names in objects(principal))


def _allowed(policy: object) -> Iterator[tuple[str, Object]]:
    """Allow statements of a policy by Sid or position; none if the document is unknown."""
    for index, statement in enumerate(statements(document(policy))):
        if statement.get("Effect") == "Allow":
            yield str(statement.get("Sid") or index), statement


RULES = (
    ResourceRule(
        name="wildcard-iam",
        level="mandatory",
        reason="Whoever takes over a pod with such rights has the whole service, or the account.",
        remedy="name the actions that are called, or the resources they are for",
        check=_wildcards,
    ),
    ResourceRule(
        name="anyone-trusted",
        level="mandatory",
        reason="A principal of * is everybody with an AWS account, not everybody in yours.",
        remedy="name the principal, or add a Condition such as aws:SourceArn",
        check=_anyone,
    ),
)
