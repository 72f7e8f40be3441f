"""One operation on one resource: fills the table's templates, sends the requests, reads back."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import jmespath

from rehearsal.aws.provider import values
from rehearsal.aws.provider.account import Account, AwsError, not_found
from rehearsal.aws.provider.plain import as_object, is_object
from rehearsal.aws.provider.templates import ABSENT, fill, placeholders
from rehearsal.aws.resource_types.entry import (
    DEFAULT_TIMEOUT_MINUTES,
    REPLACES,
    UNREAD,
    Call,
    ResourceType,
    Retry,
    Step,
    Text,
    Values,
    When,
)

POLL_SECONDS = 0.2
PATIENCE_SECONDS = 1.0
"""Seconds in a rehearsal for each minute of the provider's patience."""


@dataclass(kw_only=True)
class Running:
    """A resource during an operation on it."""

    kind: ResourceType
    account: Account
    inputs: Values
    old: Values = field(default_factory=dict[str, Any])
    """Inputs before an update."""
    id: str = ""
    timeout_seconds: float = DEFAULT_TIMEOUT_MINUTES * 60.0
    description: Values = field(default_factory=dict[str, Any])
    """AWS's latest description of the resource."""

    def look_up(self, name: str) -> Any:
        """Value of a placeholder in AWS's form; ABSENT if there is none."""
        if name == "id":
            return self.id or ABSENT
        if name in {"region", "partition"}:
            return getattr(self.account, name)
        if name == "account":
            return self.account.identity["Account"]
        if name == "goneTags":
            return self.gone_tags() or ABSENT
        source, key = self.inputs, name
        if name.startswith("old."):
            source, key = self.old, name.removeprefix("old.")
        value = source.get(key)
        if value is not None and (prop := self.kind.properties.get(key)) and prop.codec:
            return prop.codec.to_api(value)
        if value is None:
            value = self.description.get(name)
        return ABSENT if value is None else value

    def gone_tags(self) -> list[str]:
        """Keys of the tags that an update removes."""
        wanted = as_object(self.inputs.get("tags"))
        return [key for key in as_object(self.old.get("tags")) if key not in wanted]

    def parameters(self, call: Call) -> Values:
        """Parameters of this request."""
        shape = self.account.model(self.kind.service).operation_model(call.operation).input_shape
        params: Values = {}
        for name, prop in self.kind.properties.items():
            value = self.inputs.get(name)
            if value is None and name in self.old:
                value = prop.cleared
            if value is None or (call.takes is not None and name not in call.takes):
                continue
            if (path := values.api_path(shape, name, prop)) and name not in _said(call):
                inner = values.shapes.shape_at(shape, path)
                _put(params, path, values.to_api(value, prop, inner, name))
        for key, template in call.parameters.items():
            filled = fill(template, self.look_up)
            if filled is not ABSENT:
                params[key] = filled
        return params if shape is None else values.shapes.to_api(params, shape, {}, call.operation)

    def carries(self, call: Call) -> set[str]:
        """Changeable properties that this request covers."""
        shape = self.account.model(self.kind.service).operation_model(call.operation).input_shape
        said = _said(call)
        return {
            name
            for name, prop in self.kind.properties.items()
            if REPLACES not in prop
            and (
                name in said
                or (
                    (call.takes is None or name in call.takes)
                    and values.api_path(shape, name, prop) is not None
                )
            )
        }

    def api(self, operation: str, **parameters: Any) -> Any:
        """Sends one request to the type's service with the given parameters."""
        return self.account.request(self.kind.service, operation, parameters)

    def insist(self, attempt: Callable[[], Any], retries: Iterable[Retry]) -> Any:
        """Repeats an attempt for as long as the real provider does. Raises AwsError if a refusal is
        final, or lasts too long.
        """
        begun = time.monotonic()
        while True:
            try:
                return attempt()
            except AwsError as error:
                fitting = (each for each in retries if each.fits(error.code, str(error)))
                patience = max(map(self._patience, fitting), default=0)
                if time.monotonic() - begun >= patience:
                    raise
            self.pause()

    def _patience(self, retry: Retry) -> float:
        seconds = retry.minutes * PATIENCE_SECONDS
        return min(seconds, self.timeout_seconds) if retry.capped else seconds

    def do_patiently(self, step: Step) -> Any:
        """Runs one step of a create or update, and repeats it while AWS may not know its references
        yet.
        """
        return self.insist(lambda: self.do(step), self.kind.retries)

    def do(self, step: Step) -> Any:
        """Runs one step; returns the relevant part of the response."""
        if not isinstance(step, Call):
            return step(self)
        try:
            response = self.api(step.operation, **self.parameters(step))
        except AwsError as error:
            if error.code in step.tolerates:
                return None
            raise
        return jmespath.search(self.text(step.at), response)

    def text(self, template: str) -> str:
        """A JMESPath or another text with its placeholders filled; empty if one is absent."""
        return str(fill(template, lambda name: "" if (v := self.look_up(name)) is ABSENT else v))

    def refresh(self) -> bool:
        """Reads the resource from AWS; returns False if it does not exist (any more)."""
        self.description = {}
        description: Values = {}
        for index, step in enumerate(self.kind.read):
            try:
                answer = self.do(step)
            except AwsError as error:
                if not not_found(error.code):
                    raise
                answer = None
            if answer is None and index == 0:
                return False
            if is_object(answer):
                description |= answer
            self.description = description
        return not (self.kind.ready and self._status() in self.kind.ready.gone)

    def wait_until_ready(self) -> None:
        """Waits while AWS works. Raises AwsError if it fails, takes too long or the engine
        cancels.
        """
        ready = self.kind.ready
        deadline = time.monotonic() + self.timeout_seconds
        while True:
            if not self.refresh():
                raise AwsError("ResourceNotFoundException", f"{self.id} vanished while it was made")
            if ready is None or (status := self._status()) in ready.states:
                return
            if status not in ready.pending:
                why = jmespath.search(ready.why, self.description) if ready.why else None
                raise AwsError("UnexpectedState", f"{self.id} is {status}: {why or 'no reason'}")
            self._pause(deadline, f"{self.id} is still {status}")

    def wait_until_gone(self) -> None:
        """Waits until AWS does not know the resource any more."""
        deadline = time.monotonic() + self.timeout_seconds
        while self.refresh():
            self._pause(deadline, f"{self.id} still exists")

    def _pause(self, deadline: float, what: str) -> None:
        if time.monotonic() > deadline:
            raise AwsError("Timeout", f"{what} after {self.timeout_seconds:.0f} s")
        self.pause()

    def pause(self) -> None:
        """Waits a moment. Raises AwsError if the engine is stopping."""
        if self.account.stopping.wait(POLL_SECONDS):
            raise AwsError("Cancelled", f"{self.id}: the engine was told to stop")

    def _status(self) -> Any:
        return jmespath.search(self.kind.ready.at, self.description) if self.kind.ready else None

    def state(self) -> Values:
        """Properties and outputs as AWS has them, in the program's wording if that is
        equivalent.
        """
        state: Values = {}
        for name, prop in self.kind.properties.items():
            given = self.inputs.get(name)
            read = None if UNREAD in prop else self._read(name)
            value = values.settle(given, read, prop)
            if value is not None:
                state[name] = value
        for name, source in self.kind.outputs.items():
            if isinstance(source, Text):
                value = fill(source.template, self.look_up)
            else:
                value = values.shapes.from_api(jmespath.search(source, self.description), {})
            if value is not None and value is not ABSENT:
                state[name] = value
        if self.kind.regional:
            state["region"] = self.account.region
        if self.kind.tag_map:
            state["tagsAll"] = as_object(state.get("tags"))
        return state

    def _read(self, name: str) -> Any:
        prop = self.kind.properties[name]
        path = prop.at or prop.api
        if path:
            described_value = jmespath.search(self.text(path), self.description)
        else:
            folded = {key.lower(): value for key, value in self.description.items()}
            described_value = folded.get(name.lower())
        shape = values.shape_of(self.kind, name, self.account.model(self.kind.service))
        return values.from_api(described_value, prop, shape)

    def due(self, changed: set[str]) -> list[Step]:
        """Update steps for these changed properties."""
        return [when.step for when in self.kind.steps() if self._concerns(when) & changed]

    def _concerns(self, when: When) -> set[str]:
        if when.changed:
            return set(when.changed)
        return self.carries(when.step) if isinstance(when.step, Call) else set()


def _said(call: Call) -> set[str]:
    """Names in the templates of a call, which are not passed a second time."""
    return placeholders(call.parameters)


def _put(params: Values, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for parent in parents:
        params = params.setdefault(parent, {})
    params[last] = value
