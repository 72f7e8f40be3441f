"""Helper of the IAM pages: tags."""

from rehearsal.aws.provider.codecs import TAG_PAIRS
from rehearsal.aws.resource_types.entry import EXACT, Call, When, prop
from rehearsal.aws.resource_types.tags import retag

TAGS = prop(EXACT, api="Tags", codec=TAG_PAIRS)


def retagged(noun: str, key: str, name: str) -> When:
    """Tag update as IAM requires it: TagRole and UntagRole by RoleName."""
    add = Call(f"Tag{noun}", {key: name, "Tags": "{tags}"}, takes=())
    return retag(add, Call(f"Untag{noun}", {key: name, "TagKeys": "{goneTags}"}, takes=()))
