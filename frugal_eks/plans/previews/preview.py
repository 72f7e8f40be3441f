"""Reads and checks a whole preview."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from pydantic import ValidationError

from frugal_eks.errors import CommandError
from frugal_eks.inputs import shown, text_of
from frugal_eks.plans.previews.changes import Change, changes
from frugal_eks.plans.previews.steps import Message, PreviewStep, Resource, Written

URN = re.compile(r"^urn:pulumi:(?P<stack>[^:]+)::(?P<project>[^:]+)::")
GENERIC = "an unhandled error occurred: program exited with non-zero"
HOW = "make it anew with `pulumi preview --json --show-sames`"


class _File(Written):
    steps: tuple[PreviewStep, ...]
    change_summary: Mapping[str, int] | None
    config: Mapping[str, Any] = {}
    diagnostics: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Preview:
    """What `up` would do to one stack."""

    project: str
    stack: str
    config: Mapping[str, Any]
    """Configuration by full key such as `aws:region`; objects as JSON text."""
    changes: tuple[Change, ...]
    """One change per resource. Without --show-sames unchanged resources are missing."""
    messages: tuple[Message, ...]
    summary: Mapping[str, int]
    """The engine's own counts, by operation."""

    @classmethod
    def read(cls, file: str) -> "Preview":
        """Reads the preview of a file or of standard input, `-`.
        Raises CommandError, with the file's name, if it is missing or not a whole preview.
        """
        try:
            text = text_of(file)
        except CommandError as error:
            raise CommandError(f"{error}: {HOW}") from None
        return cls.parse(text, shown(file))

    @classmethod
    def parse(cls, text: str, where: str = "standard input") -> "Preview":
        """Reads the preview of a text; `where` names its source in errors."""
        try:
            read = _File.model_validate(_object(text, where))
            parsed = changes(read.steps)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join(map(str, first["loc"]))
            raise CommandError(
                f"{where}: {path}: {first['msg'].lower()}, which no preview of Pulumi 3 has: {HOW}"
            ) from None
        except KeyError as error:
            raise CommandError(
                f"{where}: step {error} is unknown: it is of another version of Pulumi: {HOW} "
                "of version 3"
            ) from None
        if failed := list(_errors(read.diagnostics)):
            raise CommandError(f"{where}: the preview itself has failed: {'; '.join(failed)}")
        project, stack = _names(parsed, where)
        return cls(
            project=project,
            stack=stack,
            config=read.config,
            changes=tuple(parsed),
            messages=read.diagnostics,
            summary=read.change_summary or {},
        )

    @property
    def before(self) -> Iterator[Resource]:
        """Resources that exist, as far as the preview lists them."""
        return (change.old for change in self.changes if change.old)

    @property
    def after(self) -> Iterator[Resource]:
        """Resources that would exist after `up`, as far as the preview lists them."""
        return (change.new for change in self.changes if change.new)

    @cached_property
    def by_urn(self) -> dict[str, Resource]:
        """Resources by URN, after the change if they exist then, else before."""
        return {change.urn: change.resource for change in self.changes}

    @cached_property
    def is_whole(self) -> bool:
        """True if unchanged resources are listed too; without them no total can be calculated."""
        listed = Counter(change.operation for change in self.changes)
        return listed["same"] >= self.summary.get("same", 0)


def _object(text: str, where: str) -> dict[str, Any]:
    if not text.strip():
        raise CommandError(f"{where}: is empty: {HOW}")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise CommandError(
                f"{where}: holds more than one JSON object, as with "
                f"PULUMI_ENABLE_STREAMING_JSON_PREVIEW set: {HOW} without it"
            ) from None
        raise CommandError(
            f"{where}: is cut off or no JSON (line {error.lineno}: {error.msg}): {HOW}"
        ) from None
    except RecursionError:
        raise CommandError(f"{where}: is nested too deeply for a preview: {HOW}") from None
    if not isinstance(value, dict):
        raise CommandError(f"{where}: is JSON, but no object: {HOW}")
    return cast("dict[str, Any]", value)


def _errors(messages: tuple[Message, ...]) -> Iterator[str]:
    texts = [
        " ".join(message.message.split()) for message in messages if message.severity == "error"
    ]
    errors = [text.removeprefix("error: ") for text in texts]
    # The language host adds one to what the program itself has said.
    yield from [text for text in errors if not text.startswith(GENERIC)] or errors


def _names(listed: list[Change], where: str) -> tuple[str, str]:
    for change in listed:
        if match := URN.match(change.urn):
            return match["project"], match["stack"]
    raise CommandError(f"{where}: names no resource at all: {HOW}")
