"""EventBridge rules and their targets, CloudWatch log groups."""

from rehearsal.aws.provider.codecs import JSON, TAG_MAP, TAG_PAIRS, document
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    EXACT,
    REPLACES,
    REQUIRED,
    UNREAD,
    InUse,
    ResourceType,
    Retry,
    Text,
    Values,
    When,
    call,
    prop,
)
from rehearsal.aws.resource_types.tags import retag


def _rule_kind(inputs: Values) -> str | None:
    if inputs.get("eventPattern") or inputs.get("scheduleExpression"):
        return None
    return "ValidationException: eventPattern or scheduleExpression must be given"


def _pattern_rule(inputs: Values) -> str | None:
    pattern = JSON.from_api(inputs.get("eventPattern"))
    if pattern is None or isinstance(document(pattern), dict):
        return None
    return "InvalidEventPatternException: eventPattern is not valid. Reason: not a JSON object"


def _bus_name(inputs: Values, name: str, separator: str) -> str:
    bus = inputs.get("eventBusName") or "default"
    return name if bus == "default" else f"{bus}{separator}{name}"


EVENT_RULE = ResourceType(
    token="aws:cloudwatch/eventRule:EventRule",
    service="events",
    retries=(Retry("ValidationException", 2, ("cannot be assumed by principal",)),),
    properties={
        "name": prop(REPLACES, autoname=64),
        "eventBusName": prop(REPLACES, default="default"),
        "description": prop(cleared=""),
        "eventPattern": prop(codec=JSON),
        "scheduleExpression": prop(),
        "roleArn": prop(),
        "state": prop(COMPUTED),
        "forceDestroy": prop(UNREAD, default=False),
        "tags": prop(EXACT, codec=TAG_PAIRS),
    },
    rules=(_rule_kind, _pattern_rule),
    id=lambda inputs: _bus_name(inputs, str(inputs["name"]), "/"),
    create=(call("PutRule"),),
    read=(
        call("DescribeRule"),
        call("ListTagsForResource", ResourceARN="{Arn}"),
    ),
    update=(
        When(
            ("description", "eventPattern", "scheduleExpression", "roleArn", "state"),
            call(
                "PutRule",
                takes=(
                    "name",
                    "eventBusName",
                    "description",
                    "eventPattern",
                    "scheduleExpression",
                    "roleArn",
                    "state",
                ),
            ),
        ),
        retag(
            call("TagResource", ResourceARN="{Arn}"),
            call("UntagResource", ResourceARN="{Arn}", TagKeys="{goneTags}"),
        ),
    ),
    delete=(call("DeleteRule"),),
    delete_retries=(Retry("ValidationException", 5),),
    in_use=(
        InUse(
            call("ListTargetsByRule", Rule="{name}", at="Targets[].Id"), code="ValidationException"
        ),
    ),
    outputs={"arn": "Arn"},
)


PUT_TARGET = call(
    "PutTargets",
    takes=("rule", "eventBusName"),
    Targets=[
        {
            "Id": "{targetId}",
            "Arn": "{arn}",
            "RoleArn": "{roleArn?}",
            "Input": "{input?}",
            "InputPath": "{inputPath?}",
            "DeadLetterConfig": "{deadLetterConfig?}",
            "SqsParameters": "{sqsTarget?}",
            "RetryPolicy": "{retryPolicy?}",
        }
    ],
)

EVENT_TARGET = ResourceType(
    token="aws:cloudwatch/eventTarget:EventTarget",
    service="events",
    properties={
        "rule": prop(REQUIRED, REPLACES, UNREAD),
        "eventBusName": prop(REPLACES, UNREAD, default="default"),
        "targetId": prop(REPLACES, at="Id", autoname=255),
        "arn": prop(REQUIRED, at="Arn"),
        "roleArn": prop(at="RoleArn"),
        "input": prop(at="Input", codec=JSON),
        "inputPath": prop(at="InputPath"),
        "deadLetterConfig": prop(at="DeadLetterConfig"),
        "sqsTarget": prop(at="SqsParameters"),
        "retryPolicy": prop(at="RetryPolicy"),
        "forceDestroy": prop(UNREAD, default=False),
    },
    id=lambda inputs: _bus_name(inputs, f"{inputs['rule']}-{inputs['targetId']}", "-"),
    create=(PUT_TARGET,),
    read=(
        call(
            "ListTargetsByRule",
            takes=("rule", "eventBusName"),
            at="Targets[?Id=='{targetId}'] | [0]",
        ),
    ),
    update=(
        When(
            (
                "arn",
                "roleArn",
                "input",
                "inputPath",
                "deadLetterConfig",
                "sqsTarget",
                "retryPolicy",
            ),
            PUT_TARGET,
        ),
    ),
    delete=(call("RemoveTargets", takes=("rule", "eventBusName"), Ids=["{targetId}"]),),
)

# What PutRetentionPolicy takes; 0 is the provider's word for "for ever".
RETENTION_DAYS = (
    *(0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557),
    *(2922, 3288, 3653),
)


def _set_retention(running: Running) -> None:
    name, days = running.inputs["name"], running.inputs.get("retentionInDays")
    if days:
        running.api("PutRetentionPolicy", logGroupName=name, retentionInDays=days)
    elif running.old:
        running.api("DeleteRetentionPolicy", logGroupName=name)


def _delete_group(running: Running) -> None:
    if not running.inputs.get("skipDestroy"):
        running.api("DeleteLogGroup", logGroupName=running.id)


_GROUP_ARN = "arn:{partition}:logs:{region}:{account}:log-group:{id}"

LOG_GROUP = ResourceType(
    token="aws:cloudwatch/logGroup:LogGroup",
    service="logs",
    retries=(
        Retry(
            "AccessDeniedException",
            1,
            ("no identity-based policy allows the logs:PutRetentionPolicy action",),
        ),
    ),
    properties={
        "name": prop(REPLACES, api="logGroupName", autoname=255),
        "retentionInDays": prop(default=0, one_of=RETENTION_DAYS, at="retentionInDays || `0`"),
        "logGroupClass": prop(REPLACES, COMPUTED),
        "kmsKeyId": prop(),
        "skipDestroy": prop(UNREAD, default=False),
        "tags": prop(EXACT, codec=TAG_MAP),
    },
    id="{name}",
    create=(call("CreateLogGroup", takes=("name", "kmsKeyId", "logGroupClass", "tags")),),
    read=(
        call(
            "DescribeLogGroups",
            takes=(),
            logGroupNamePrefix="{id}",
            at="logGroups[?logGroupName=='{id}'] | [0]",
        ),
        call("ListTagsForResource", resourceArn=_GROUP_ARN),
    ),
    update=(
        When(("retentionInDays",), _set_retention, at_create=True),
        When(
            ("kmsKeyId",),
            lambda run: (
                run.api("AssociateKmsKey", logGroupName=run.id, kmsKeyId=run.inputs["kmsKeyId"])
                if run.inputs.get("kmsKeyId")
                else run.api("DisassociateKmsKey", logGroupName=run.id)
            ),
        ),
        retag(
            call("TagResource", resourceArn=_GROUP_ARN),
            call("UntagResource", resourceArn=_GROUP_ARN, tagKeys="{goneTags}"),
        ),
    ),
    delete=(_delete_group,),
    delete_retries=(Retry("OperationAbortedException", 1, ("try again",)),),
    outputs={"arn": Text(_GROUP_ARN)},
)

PAGE = (EVENT_RULE, EVENT_TARGET, LOG_GROUP)
