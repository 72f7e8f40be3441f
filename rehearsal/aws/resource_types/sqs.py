"""SQS queues and their policies."""

import re

from rehearsal.aws.provider.codecs import BOOLEAN_TEXT, INTEGER_TEXT, JSON, POLICY, TAG_MAP
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    EXACT,
    REPLACES,
    REQUIRED,
    UNREAD,
    Property,
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


def _number(api: str, within: tuple[int, int], default: int | None = None) -> Property:
    traits = () if default is not None else (COMPUTED,)
    return prop(
        *traits, api=f"Attributes.{api}", codec=INTEGER_TEXT, within=within, default=default
    )


def _delete_policy(running: Running) -> None:
    running.api("SetQueueAttributes", QueueUrl=running.id, Attributes={"Policy": ""})


def _queue_name(inputs: Values) -> str | None:
    name, fifo = str(inputs.get("name", "")), bool(inputs.get("fifoQueue"))
    if not re.fullmatch(r"[\w-]{1,80}", name.removesuffix(".fifo")):
        return (
            f"InvalidParameterValue: name is {name}: can only include alphanumeric characters, "
            "hyphens, or underscores. 1 to 80 in length"
        )
    if fifo == name.endswith(".fifo"):
        return None
    return f"InvalidParameterValue: fifoQueue is {fifo} but name is {name}: only FIFO ends in .fifo"


QUEUE = ResourceType(
    token="aws:sqs/queue:Queue",
    service="sqs",
    timeouts=Timeouts(create=3, update=3, delete=3),
    retries=(Retry("QueueDeletedRecently", 1.5),),
    properties={
        "name": prop(REPLACES, api="QueueName", at="Name", autoname=80),
        "fifoQueue": prop(REPLACES, default=False, api="Attributes.FifoQueue", codec=BOOLEAN_TEXT),
        "delaySeconds": _number("DelaySeconds", (0, 900), 0),
        "maxMessageSize": _number("MaximumMessageSize", (1024, 1_048_576), 262_144),
        "messageRetentionSeconds": _number("MessageRetentionPeriod", (60, 1_209_600), 345_600),
        "receiveWaitTimeSeconds": _number("ReceiveMessageWaitTimeSeconds", (0, 20), 0),
        "visibilityTimeoutSeconds": _number("VisibilityTimeout", (0, 43_200), 30),
        "kmsDataKeyReusePeriodSeconds": _number("KmsDataKeyReusePeriodSeconds", (60, 86_400)),
        "kmsMasterKeyId": prop(api="Attributes.KmsMasterKeyId"),
        "sqsManagedSseEnabled": prop(
            COMPUTED, api="Attributes.SqsManagedSseEnabled", codec=BOOLEAN_TEXT
        ),
        "policy": prop(COMPUTED, api="Attributes.Policy", codec=POLICY),
        "redrivePolicy": prop(COMPUTED, api="Attributes.RedrivePolicy", codec=JSON),
        "tags": prop(EXACT, codec=TAG_MAP, at="Tags"),
    },
    rules=(_queue_name,),
    id="QueueUrl",
    create=(
        # FifoQueue=false is an error in AWS: only a FIFO queue says so.
        lambda run: run.api("CreateQueue", **_queue_request(run)),
    ),
    read=(
        call("GetQueueAttributes", QueueUrl="{id}", AttributeNames=["All"]),
        call("ListQueueTags", QueueUrl="{id}", at="{Tags: Tags}"),
        lambda run: {"Name": run.id.rpartition("/")[2]},
    ),
    update=(
        When(
            (
                "delaySeconds",
                "maxMessageSize",
                "messageRetentionSeconds",
                "receiveWaitTimeSeconds",
                "visibilityTimeoutSeconds",
                "kmsDataKeyReusePeriodSeconds",
                "kmsMasterKeyId",
                "sqsManagedSseEnabled",
                "policy",
                "redrivePolicy",
            ),
            lambda run: run.api(
                "SetQueueAttributes",
                QueueUrl=run.id,
                Attributes=_queue_request(run)["Attributes"],
            ),
        ),
        retag(
            call("TagQueue", QueueUrl="{id}"),
            call("UntagQueue", QueueUrl="{id}", TagKeys="{goneTags}"),
        ),
    ),
    delete=(call("DeleteQueue", QueueUrl="{id}"),),
    outputs={"arn": "Attributes.QueueArn", "url": Text("{id}")},
)


def _queue_request(running: Running) -> Values:
    request = running.parameters(call("CreateQueue"))
    if not running.inputs.get("fifoQueue"):
        request["Attributes"].pop("FifoQueue", None)
    return request


QUEUE_POLICY = ResourceType(
    token="aws:sqs/queuePolicy:QueuePolicy",
    service="sqs",
    retries=(Retry("InvalidAttributeValue", 1, ("Invalid value for the parameter Policy",)),),
    properties={
        "queueUrl": prop(REQUIRED, REPLACES, UNREAD),
        "policy": prop(REQUIRED, api="Attributes.Policy", codec=POLICY),
    },
    id="{queueUrl}",
    create=(call("SetQueueAttributes"),),
    read=(
        call(
            "GetQueueAttributes",
            takes=(),
            QueueUrl="{id}",
            AttributeNames=["Policy"],
            at="Attributes.Policy && @",
        ),
    ),
    update=(call("SetQueueAttributes"),),
    delete=(_delete_policy,),
)

PAGE = (QUEUE, QUEUE_POLICY)
