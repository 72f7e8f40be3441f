"""Tags of services that add by one request and remove by another."""

from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import Call, When


def retag(add: Call, remove: Call) -> When:
    """The update of tags; "{goneTags}" in `remove` stands for the keys that are not wanted."""

    def step(running: Running) -> None:
        if running.gone_tags():
            running.do(remove)
        if running.inputs.get("tags"):
            running.do(add)

    return When(("tags",), step)
