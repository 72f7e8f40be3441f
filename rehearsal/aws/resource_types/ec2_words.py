"""Helpers of the EC2 pages: tags, filters, ARNs."""

from typing import Any

from rehearsal.aws.provider.codecs import TAG_PAIRS
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import EXACT, Property, Text, When, call, prop

TAGS: Property = prop(EXACT, api="Tags", codec=TAG_PAIRS)


def tagged(noun: str) -> dict[str, Any]:
    """Parameter by which a create request tags the new resource."""
    return {"TagSpecifications": [{"ResourceType": noun, "Tags": "{tags}"}]}


def _retag(running: Running) -> None:
    if gone := running.gone_tags():
        running.api("DeleteTags", Resources=[running.id], Tags=[{"Key": key} for key in gone])
    if running.inputs.get("tags"):
        running.do(call("CreateTags", takes=(), Resources=["{id}"], Tags="{tags}"))


RETAG = When(("tags",), _retag)


def ec2_arn(noun: str) -> Text:
    """ARN of an EC2 resource, which EC2 itself does not return."""
    return Text(f"arn:{{partition}}:ec2:{{region}}:{{account}}:{noun}/{{id}}")


def where(name: str, value: str = "{id}") -> list[dict[str, object]]:
    """A filter of a describe request."""
    return [{"Name": name, "Values": [value]}]
