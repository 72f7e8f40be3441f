"""Helpers of the EKS pages: tags, and reasons why something is not healthy."""

from typing import Any

from rehearsal.aws.provider.codecs import TAG_MAP
from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.resource_types.entry import EXACT, When, call, prop
from rehearsal.aws.resource_types.tags import retag

TAGS = prop(EXACT, codec=TAG_MAP)


def retagged(arn: str) -> When:
    add = call("TagResource", takes=(), resourceArn=arn, tags="{tags}")
    return retag(add, call("UntagResource", resourceArn=arn, tagKeys="{goneTags}"))


def field_changed(*names: str) -> Any:
    """True if one of these fields of an object changed, which requires a replacement."""

    def changed(old: Any, new: Any) -> bool:
        before, after = as_object(old), as_object(new)
        pairs = ((before.get(name), after.get(name)) for name in names)
        return any(was is not None and now is not None and was != now for was, now in pairs)

    return changed


ISSUES = "join('; ', (health.issues || `[]`)[].join(': ', [code, message]))"
