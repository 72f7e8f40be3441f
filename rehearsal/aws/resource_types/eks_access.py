"""EKS access entries and policies, and pod identity associations."""

from rehearsal.aws.resource_types.eks_words import TAGS, retagged
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    UNORDERED,
    ResourceType,
    Retry,
    Timeouts,
    Values,
    When,
    call,
    prop,
)


def _standard_only(inputs: Values) -> str | None:
    if inputs.get("type", "STANDARD") == "STANDARD":
        return None
    if inputs.get("kubernetesGroups") or inputs.get("userName"):
        return (
            "InvalidParameterException: kubernetesGroups and userName are only for type STANDARD "
            f"(got {inputs['type']})"
        )
    return None


ACCESS_ENTRY = ResourceType(
    token="aws:eks/accessEntry:AccessEntry",
    service="eks",
    timeouts=Timeouts(create=10, delete=10),
    retries=(
        Retry(
            "InvalidParameterException",
            2,
            ("The specified principalArn is invalid: invalid principal",),
        ),
    ),
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "principalArn": prop(REQUIRED, REPLACES),
        "type": prop(
            REPLACES,
            default="STANDARD",
            one_of=("STANDARD", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "EC2", "HYBRID_LINUX"),
        ),
        "kubernetesGroups": prop(COMPUTED, UNORDERED, cleared=[]),
        "userName": prop(COMPUTED, api="username"),
        "tags": TAGS,
    },
    rules=(_standard_only,),
    id="{clusterName}:{principalArn}",
    create=(call("CreateAccessEntry", at="accessEntry"),),
    read=(call("DescribeAccessEntry", at="accessEntry"),),
    update=(
        call(
            "UpdateAccessEntry",
            takes=("clusterName", "principalArn", "kubernetesGroups", "userName"),
        ),
        retagged("{accessEntryArn}"),
    ),
    delete=(call("DeleteAccessEntry"),),
    outputs={
        "accessEntryArn": "accessEntryArn",
        "createdAt": "createdAt",
        "modifiedAt": "modifiedAt",
    },
    changing=("modifiedAt",),
)

ACCESS_POLICY_ASSOCIATION = ResourceType(
    token="aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    service="eks",
    timeouts=Timeouts(create=10, delete=10),
    retries=(
        Retry("ResourceNotFoundException", 2, ("The specified principalArn could not be found",)),
    ),
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "principalArn": prop(REQUIRED, REPLACES),
        "policyArn": prop(REQUIRED, REPLACES),
        "accessScope": prop(REQUIRED, REPLACES, UNORDERED),
    },
    id="{clusterName}#{principalArn}#{policyArn}",
    create=(call("AssociateAccessPolicy"),),
    read=(
        call(
            "ListAssociatedAccessPolicies",
            at="associatedAccessPolicies[?policyArn=='{policyArn}'] | [0]",
        ),
    ),
    delete=(call("DisassociateAccessPolicy"),),
    outputs={"associatedAt": "associatedAt", "modifiedAt": "modifiedAt"},
)

POD_IDENTITY_ASSOCIATION = ResourceType(
    token="aws:eks/podIdentityAssociation:PodIdentityAssociation",
    service="eks",
    retries=(
        Retry("InvalidParameterException", 2, ("Role provided in the request does not exist",)),
    ),
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "namespace": prop(REQUIRED, REPLACES),
        "serviceAccount": prop(REQUIRED, REPLACES),
        "roleArn": prop(REQUIRED),
        "targetRoleArn": prop(),
        "disableSessionTags": prop(COMPUTED, default=False),
        "tags": TAGS,
    },
    id="associationId",
    create=(call("CreatePodIdentityAssociation", at="association"),),
    read=(call("DescribePodIdentityAssociation", associationId="{id}", at="association"),),
    update=(
        When(
            ("roleArn", "targetRoleArn", "disableSessionTags"),
            call(
                "UpdatePodIdentityAssociation",
                takes=("clusterName", "roleArn", "targetRoleArn", "disableSessionTags"),
                associationId="{id}",
            ),
        ),
        retagged("{associationArn}"),
    ),
    delete=(call("DeletePodIdentityAssociation", takes=("clusterName",), associationId="{id}"),),
    outputs={
        "associationArn": "associationArn",
        "associationId": "associationId",
        "externalId": "externalId",
    },
)

PAGE = (ACCESS_ENTRY, ACCESS_POLICY_ASSOCIATION, POD_IDENTITY_ASSOCIATION)
