"""Create, read, update and delete of any resource in the table."""

from contextlib import ExitStack
from typing import Any

import jmespath

from rehearsal.aws.provider import values
from rehearsal.aws.provider.account import AwsError, not_found
from rehearsal.aws.provider.plain import is_list, is_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import InUse, ResourceType, Values


class HalfMade(Exception):
    """A resource that exists, although something after its creation failed."""

    def __init__(self, running: Running, reason: AwsError) -> None:
        super().__init__(str(reason))
        self.id = running.id
        self.state = {**running.inputs, **_state_or_nothing(running)}


def create(running: Running, types: dict[str, ResourceType]) -> Values:
    """Creates the resource, waits until it is usable, and returns its state. Sets `running.id`."""
    _check_references(running, types, set(running.inputs))
    with _lock(running):
        for step in running.kind.before:
            running.description |= running.do(step) or {}
        first, *others = running.kind.create
        running.id = resource_id(running, running.do_patiently(first))
        try:
            for step in others:
                running.do_patiently(step)
            given = {name for name, value in running.inputs.items() if value is not None}
            for when in running.kind.steps():
                if when.at_create and given & set(when.changed):
                    running.do_patiently(when.step)
            running.wait_until_ready()
        except AwsError as error:
            raise HalfMade(running, error) from error
    return running.state()


def read(running: Running) -> Values | None:
    """State of the resource; None if it does not exist."""
    return running.state() if running.refresh() else None


def update(running: Running, types: dict[str, ResourceType], changed: set[str]) -> Values:
    """Updates the resource to the new inputs; returns the new state."""
    _check_references(running, types, changed)
    # A property that finds the resource may change, too: the group of a lifecycle hook.
    wanted, running.inputs = running.inputs, running.inputs | running.old
    still_there, running.inputs = running.refresh(), wanted
    if not still_there:
        raise AwsError("NotFound", f"{running.id} does not exist any more: run a refresh")
    for step in running.due(changed):
        running.do_patiently(step)
        running.wait_until_ready()
    running.wait_until_ready()
    return running.state()


def delete(running: Running) -> None:
    """Deletes the resource and waits until it is gone; does nothing if it is gone already."""
    with _lock(running):
        running.insist(lambda: _delete_now(running), running.kind.delete_retries)
        if running.kind.ready:
            running.wait_until_gone()


def _delete_now(running: Running) -> None:
    if not running.refresh():
        return
    for use in running.kind.in_use:
        _refuse_in_use(running, use)
    for step in running.kind.delete:
        try:
            running.do(step)
        except AwsError as error:
            if not not_found(error.code):
                raise


def resource_id(running: Running, created: Any) -> str:
    """Id under which Pulumi knows the resource."""
    source = running.kind.id
    if callable(source):
        return source(running.inputs)
    if "{" in source:
        # Where AWS answers with nothing, the name in the inputs is the identity.
        running.description = dict(created) if is_object(created) else {}
        return running.text(source)
    id_found = jmespath.search(source, created)
    if not id_found:
        raise AwsError("InternalError", f"AWS returned no {source} for {running.kind.token}")
    return str(id_found)


def _check_references(running: Running, types: dict[str, ResourceType], names: set[str]) -> None:
    # moto accepts ids of things that do not exist in many places; AWS does not.
    for name in sorted(names):
        prop = running.kind.properties.get(name)
        if prop is None or not prop.refers_to:
            continue
        given = running.inputs.get(name)
        for item in given if is_list(given) else [given]:
            if item is not None and not exists(running, types[prop.refers_to], str(item)):
                noun = prop.refers_to.rpartition(":")[2]
                code = f"Invalid{noun}ID.NotFound"
                message = f"The {noun} '{item}' does not exist ({running.kind.token} {name})"
                raise AwsError(code, message)


def exists(running: Running, kind: ResourceType, resource: str) -> bool:
    """True if AWS knows a resource of this type by this id."""
    other = Running(kind=kind, account=running.account, inputs={}, id=resource)
    try:
        description = other.do(kind.read[0])
    except AwsError as error:
        if not not_found(error.code):
            raise
        return False
    if kind.ready and is_object(description):
        return jmespath.search(kind.ready.at, description) not in kind.ready.gone
    return bool(description)


def _refuse_in_use(running: Running, use: InUse) -> None:
    if users := running.do(use.by):
        shown = ", ".join(users) if is_list(users) else users
        noun = running.kind.token.rpartition(":")[2]
        message = f"The {noun} '{running.id}' has dependencies and cannot be deleted: {shown}"
        raise AwsError(use.code, message)


def _lock(running: Running) -> ExitStack:
    held = ExitStack()
    if running.kind.lock and not values.is_unknown(running.inputs):
        held.enter_context(running.account.lock(running.text(running.kind.lock)))
    return held


def _state_or_nothing(running: Running) -> Values:
    try:
        return read(running) or {}
    except AwsError:
        return {}
