"""What the pages of EKS share: tags, and why something is not healthy."""

from typing import Any

from rehearsal.aws.provider.codecs import TAG_MAP
from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.resource_types.entry import EXACT, When, call, prop
from rehearsal.aws.resource_types.tags import retag

TAGS = prop(EXACT, codec=TAG_MAP)


def retagged(arn: str) -> When:
    add = call("TagResource", takes=(), resourceArn=arn, tags="{tags}")
    return retag(add, call("UntagResource", resourceArn=arn, tagKeys="{goneTags}"))


def field_changed(name: str) -> Any:
    """Whether one field of an object changed, which makes a new resource."""

    def changed(old: Any, new: Any) -> bool:
        before, after = as_object(old).get(name), as_object(new).get(name)
        return after is not None and before is not None and before != after

    return changed


ISSUES = "join('; ', (health.issues || `[]`)[].join(': ', [code, message]))"
