"""KMS keys and their aliases."""

from rehearsal.aws.provider.codecs import KMS_TAG_PAIRS, POLICY
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    EXACT,
    REPLACES,
    REQUIRED,
    UNREAD,
    Ready,
    ResourceType,
    Retry,
    Text,
    Timeouts,
    Values,
    When,
    call,
    prop,
)
from rehearsal.aws.resource_types.tags import retag


def _set_rotation(running: Running) -> None:
    if running.inputs.get("enableKeyRotation"):
        days = running.inputs.get("rotationPeriodInDays")
        period = {"RotationPeriodInDays": days} if days else {}
        running.api("EnableKeyRotation", KeyId=running.id, **period)
    else:
        running.api("DisableKeyRotation", KeyId=running.id)


def _set_enabled(running: Running) -> None:
    wanted = running.inputs.get("isEnabled", True)
    running.api("EnableKey" if wanted else "DisableKey", KeyId=running.id)


KEY = ResourceType(
    token="aws:kms/key:Key",
    service="kms",
    timeouts=Timeouts(create=2),
    retries=(
        Retry("MalformedPolicyDocumentException", 2),
        Retry("NotFoundException", 10),
        Retry("DisabledException", 10),
    ),
    properties={
        "description": prop(COMPUTED),
        "keyUsage": prop(REPLACES, default="ENCRYPT_DECRYPT"),
        "customerMasterKeySpec": prop(REPLACES, api="KeySpec", default="SYMMETRIC_DEFAULT"),
        "multiRegion": prop(REPLACES, COMPUTED),
        "policy": prop(COMPUTED, codec=POLICY),
        "bypassPolicyLockoutSafetyCheck": prop(UNREAD, default=False),
        "deletionWindowInDays": prop(UNREAD, within=(7, 30)),
        "enableKeyRotation": prop(at="KeyRotationEnabled", default=False),
        "rotationPeriodInDays": prop(COMPUTED, within=(90, 2560)),
        "isEnabled": prop(at="Enabled", default=True),
        "tags": prop(EXACT, api="Tags", codec=KMS_TAG_PAIRS),
    },
    id="KeyId",
    create=(call("CreateKey", at="KeyMetadata"),),
    read=(
        call("DescribeKey", KeyId="{id}", at="KeyMetadata"),
        call("GetKeyRotationStatus", KeyId="{id}"),
        call("GetKeyPolicy", KeyId="{id}", PolicyName="default"),
        call("ListResourceTags", KeyId="{id}"),
    ),
    update=(
        When(("enableKeyRotation", "rotationPeriodInDays"), _set_rotation, at_create=True),
        When(("isEnabled",), _set_enabled),
        When(("description",), call("UpdateKeyDescription", KeyId="{id}")),
        When(("policy",), call("PutKeyPolicy", KeyId="{id}", PolicyName="default")),
        retag(
            call("TagResource", KeyId="{id}"),
            call("UntagResource", KeyId="{id}", TagKeys="{goneTags}"),
        ),
    ),
    delete=(
        call("ScheduleKeyDeletion", KeyId="{id}", PendingWindowInDays="{deletionWindowInDays}"),
    ),
    # A deleted key stays for its waiting time, but nothing can use it any more.
    ready=Ready(
        "KeyState",
        states=("Enabled", "Disabled"),
        pending=("Creating", "Updating"),
        gone=("PendingDeletion", "PendingReplicaDeletion"),
    ),
    outputs={"arn": "Arn", "keyId": "KeyId"},
)


def _key_id(value: str) -> str:
    return value.rpartition("/")[2]


def _alias_rule(inputs: Values) -> str | None:
    name = str(inputs.get("name", ""))
    if name.startswith("alias/") and not name.startswith("alias/aws/"):
        return None
    return f"InvalidAliasNameException: name must begin with alias/, not alias/aws/ (got {name})"


def _find_alias(running: Running) -> object:
    client = running.account.client("kms")
    for page in client.get_paginator("list_aliases").paginate():
        for alias in page["Aliases"]:
            if alias["AliasName"] == running.id and "TargetKeyId" in alias:
                given = str(running.inputs.get("targetKeyId", ""))
                target = alias["TargetKeyId"]
                if _key_id(given) == _key_id(target):
                    alias["TargetKeyId"] = given
                return alias | {"KeyId": _key_id(target)}
    return None


ALIAS = ResourceType(
    token="aws:kms/alias:Alias",
    service="kms",
    retries=(Retry("NotFoundException", 10),),
    properties={
        "name": prop(REPLACES, api="AliasName", autoname=238, prefix="alias/"),
        "targetKeyId": prop(REQUIRED, refers_to=KEY.token),
    },
    rules=(_alias_rule,),
    id="{name}",
    create=(call("CreateAlias"),),
    read=(_find_alias,),
    update=(call("UpdateAlias"),),
    delete=(call("DeleteAlias", takes=(), AliasName="{id}"),),
    outputs={
        "arn": Text("arn:{partition}:kms:{region}:{account}:{id}"),
        "targetKeyArn": Text("arn:{partition}:kms:{region}:{account}:key/{KeyId}"),
    },
    changing=("targetKeyArn",),
)

PAGE = (KEY, ALIAS)
