"""IAM: roles, policies, OIDC providers."""

from collections.abc import Callable

from rehearsal.aws.provider.codecs import POLICY, WITHOUT_SCHEME
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    UNORDERED,
    UNREAD,
    ResourceType,
    Retry,
    Text,
    Values,
    When,
    call,
    prop,
)
from rehearsal.aws.resource_types.iam_words import TAGS, retagged

# IAM's published model asks for nothing here, but the service refuses longer documents.
POLICY_SIZE = {"Role": 10_240, "Policy": 6_144}
POLICY_VERSIONS = 5


def _no_larger(name: str, noun: str) -> Callable[[Values], str | None]:
    def rule(inputs: Values) -> str | None:
        text = "".join(str(POLICY.to_api(inputs.get(name) or "")).split())
        limit = POLICY_SIZE[noun]
        if len(text) <= limit:
            return None
        return (
            f"{name} has {len(text)} characters without white space: "
            f"LimitExceeded: Cannot exceed quota for {noun}: {limit}"
        )

    return rule


def _set_boundary(running: Running) -> None:
    name, arn = running.inputs["name"], running.inputs.get("permissionsBoundary")
    if arn:
        running.api("PutRolePermissionsBoundary", RoleName=name, PermissionsBoundary=arn)
    else:
        running.api("DeleteRolePermissionsBoundary", RoleName=name)


def _detach_if_forced(running: Running) -> None:
    if not running.inputs.get("forceDetachPolicies"):
        return
    name = running.id
    for policy in running.api("ListAttachedRolePolicies", RoleName=name)["AttachedPolicies"]:
        running.api("DetachRolePolicy", RoleName=name, PolicyArn=policy["PolicyArn"])
    for policy in running.api("ListRolePolicies", RoleName=name)["PolicyNames"]:
        running.api("DeleteRolePolicy", RoleName=name, PolicyName=policy)


ROLE = ResourceType(
    token="aws:iam/role:Role",
    service="iam",
    regional=False,
    retries=(
        Retry("MalformedPolicyDocument", 2, ("Invalid principal in policy",)),
        Retry("ConcurrentModification", 2),
    ),
    properties={
        "name": prop(REPLACES, api="RoleName", autoname=64),
        "path": prop(REPLACES, default="/"),
        "assumeRolePolicy": prop(REQUIRED, api="AssumeRolePolicyDocument", codec=POLICY),
        "description": prop(cleared=""),
        "maxSessionDuration": prop(default=3600),
        "permissionsBoundary": prop(at="PermissionsBoundary.PermissionsBoundaryArn"),
        "forceDetachPolicies": prop(UNREAD, default=False),
        "tags": TAGS,
    },
    id="{name}",
    create=(call("CreateRole"),),
    read=(
        call("GetRole", RoleName="{id}", at="Role"),
        call("ListAttachedRolePolicies", RoleName="{id}", at="{Attached: AttachedPolicies}"),
    ),
    update=(
        call("UpdateRole", takes=("name", "description", "maxSessionDuration")),
        When(
            ("assumeRolePolicy",),
            call("UpdateAssumeRolePolicy", PolicyDocument="{assumeRolePolicy}"),
        ),
        When(("permissionsBoundary",), _set_boundary),
        retagged("Role", "RoleName", "{name}"),
    ),
    delete=(_detach_if_forced, call("DeleteRole", takes=(), RoleName="{id}")),
    delete_retries=(Retry("DeleteConflict", 2),),
    outputs={
        "arn": "Arn",
        "createDate": "CreateDate",
        "uniqueId": "RoleId",
        "managedPolicyArns": "Attached[].PolicyArn",
    },
)

ROLE_POLICY = ResourceType(
    token="aws:iam/rolePolicy:RolePolicy",
    service="iam",
    regional=False,
    properties={
        "role": prop(REQUIRED, REPLACES, api="RoleName"),
        "name": prop(REPLACES, api="PolicyName", autoname=255),
        "policy": prop(REQUIRED, api="PolicyDocument", codec=POLICY),
    },
    rules=(_no_larger("policy", "Role"),),
    id="{role}:{name}",
    create=(call("PutRolePolicy"),),
    read=(call("GetRolePolicy"),),
    update=(call("PutRolePolicy"),),
    delete=(call("DeleteRolePolicy"),),
)

ROLE_POLICY_ATTACHMENT = ResourceType(
    token="aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    service="iam",
    regional=False,
    retries=(Retry("ConcurrentModification", 2),),
    properties={
        "role": prop(REQUIRED, REPLACES, api="RoleName"),
        "policyArn": prop(REQUIRED, REPLACES),
    },
    id="{role}/{policyArn}",
    create=(call("AttachRolePolicy"),),
    read=(
        call(
            "ListAttachedRolePolicies",
            at="AttachedPolicies[?PolicyArn=='{policyArn}'] | [0]",
        ),
    ),
    delete=(call("DetachRolePolicy"),),
    delete_retries=(Retry("ConcurrentModification", 2),),
    delete_first=True,
)


def _new_version(running: Running) -> None:
    # IAM keeps so many versions of a policy: the oldest that is not in force makes room.
    versions = running.api("ListPolicyVersions", PolicyArn=running.id)["Versions"]
    spare = [v["VersionId"] for v in versions if not v["IsDefaultVersion"]]
    if len(versions) == POLICY_VERSIONS:
        oldest = min(spare, key=lambda version: int(version[1:]))
        running.api("DeletePolicyVersion", PolicyArn=running.id, VersionId=oldest)
    document = POLICY.to_api(running.inputs["policy"])
    running.api(
        "CreatePolicyVersion", PolicyArn=running.id, PolicyDocument=document, SetAsDefault=True
    )


def _delete_versions(running: Running) -> None:
    for version in running.api("ListPolicyVersions", PolicyArn=running.id)["Versions"]:
        if not version["IsDefaultVersion"]:
            name = version["VersionId"]
            running.api("DeletePolicyVersion", PolicyArn=running.id, VersionId=name)


MANAGED_POLICY = ResourceType(
    token="aws:iam/policy:Policy",
    service="iam",
    regional=False,
    properties={
        "name": prop(REPLACES, api="PolicyName", autoname=255),
        "path": prop(REPLACES, default="/"),
        "description": prop(REPLACES),
        "policy": prop(REQUIRED, api="PolicyDocument", at="Document", codec=POLICY),
        "tags": TAGS,
    },
    rules=(_no_larger("policy", "Policy"),),
    id="Arn",
    create=(call("CreatePolicy", at="Policy"),),
    read=(
        call("GetPolicy", PolicyArn="{id}", at="Policy"),
        call(
            "GetPolicyVersion",
            PolicyArn="{id}",
            VersionId="{DefaultVersionId}",
            at="{Document: PolicyVersion.Document}",
        ),
    ),
    update=(When(("policy",), _new_version), retagged("Policy", "PolicyArn", "{id}")),
    delete=(_delete_versions, call("DeletePolicy", PolicyArn="{id}")),
    outputs={"arn": "Arn", "policyId": "PolicyId", "attachmentCount": "AttachmentCount"},
)


def _make_again(running: Running) -> None:
    # moto cannot add or remove a client id. The ARN comes from the URL, so that it stays.
    running.api("DeleteOpenIDConnectProvider", OpenIDConnectProviderArn=running.id)
    running.do(call("CreateOpenIDConnectProvider"))


OIDC_PROVIDER = ResourceType(
    token="aws:iam/openIdConnectProvider:OpenIdConnectProvider",
    service="iam",
    regional=False,
    properties={
        "url": prop(REQUIRED, REPLACES, codec=WITHOUT_SCHEME),
        "clientIdLists": prop(REQUIRED, UNORDERED, api="ClientIDList"),
        "thumbprintLists": prop(COMPUTED, api="ThumbprintList"),
        "tags": TAGS,
    },
    id="OpenIDConnectProviderArn",
    create=(call("CreateOpenIDConnectProvider"),),
    read=(call("GetOpenIDConnectProvider", OpenIDConnectProviderArn="{id}"),),
    update=(
        When(("clientIdLists",), _make_again),
        When(
            ("thumbprintLists",),
            call("UpdateOpenIDConnectProviderThumbprint", OpenIDConnectProviderArn="{id}"),
        ),
        retagged("OpenIDConnectProvider", "OpenIDConnectProviderArn", "{id}"),
    ),
    delete=(call("DeleteOpenIDConnectProvider", OpenIDConnectProviderArn="{id}"),),
    outputs={"arn": Text("{id}")},
)

PAGE = (ROLE, ROLE_POLICY, ROLE_POLICY_ATTACHMENT, MANAGED_POLICY, OIDC_PROVIDER)
