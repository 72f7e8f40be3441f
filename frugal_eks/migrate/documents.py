"""Reads the documents of files and standard input, each with its source and lines."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from frugal_eks.errors import CommandError
from frugal_eks.inputs import STANDARD_INPUT, shown
from frugal_eks.migrate.placeholders import PlaceholderError, filled
from frugal_eks.migrate.reader import written
from stack_config.yaml_text import Keys, Lines, YamlError, documents

MOST_BYTES = 8 * 1024 * 1024
_WHOLE: Keys = ()


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document with its placeholders filled in."""

    source: str
    """File as it was given, or `standard input`."""
    value: Mapping[str, Any]
    lines: Lines
    """Line numbers by path into the document; `()` is its first line."""
    json: bool = False
    """True if the file is JSON; used in messages."""

    @property
    def kind(self) -> str:
        """Kind, such as `ClusterConfig`; empty if absent."""
        return str(self.value.get("kind") or "")

    @property
    def name(self) -> str:
        """`metadata.name`; empty if absent."""
        return self._metadata("name")

    @property
    def namespace(self) -> str:
        """`metadata.namespace`; `default` if absent."""
        return self._metadata("namespace") or "default"

    def _metadata(self, key: str) -> str:
        metadata = self.value.get("metadata")
        if not isinstance(metadata, Mapping):
            return ""
        return str(cast(Mapping[str, Any], metadata).get(key) or "")

    @property
    def title(self) -> str:
        """Kind and name, such as `Provisioner default`; the first keys if the kind is absent."""
        keys = ", ".join(list(self.value)[:2])
        return " ".join(filter(None, (self.kind, self.name))) or f"({keys}, …)"

    def line(self, path: str = "") -> int:
        """Line of a Note's path, or of the closest enclosing path."""
        by_path = {written(keys): line for keys, line in self.lines.items()}
        while path not in by_path:
            path = path.rpartition("[" if path.endswith("]") else ".")[0]
        return by_path[path]

    @property
    def where(self) -> str:
        """File and first line, such as `cluster.yaml:3`."""
        return f"{self.source}:{self.lines[_WHOLE]}"


def read(names: Sequence[str], values: Mapping[str, str]) -> list[Document]:
    """Reads all documents in order; a `kind: List` as its items. Raises CommandError.
    `values` replace the placeholders.
    """
    return [document for name in names for document in _of_file(name, values)]


def _of_file(name: str, values: Mapping[str, str]) -> Iterator[Document]:
    source = shown(name)
    text = _text(name, source)
    json = text.lstrip().startswith(("{", "["))
    has_documents = False
    try:
        for value, lines in documents(filled(text, values)):
            if value is None:
                continue
            where = f"{source}:{lines[_WHOLE]}"
            for document in _parted(_mapping(value, where), lines, source, json):
                has_documents = True
                yield document
    except (YamlError, PlaceholderError) as error:
        reading = "" if isinstance(error, PlaceholderError) else "cannot be read as YAML: "
        raise CommandError(f"{source}:{error.line}: {reading}{error.problem}") from error
    if not has_documents:
        raise CommandError(f"{source}: is empty: there is no document in it")


def _text(name: str, source: str) -> str:
    try:
        if name == STANDARD_INPUT:
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise CommandError(
                f"{source}: is larger than {MOST_BYTES // 1024**2} MiB: no manifest is"
            )
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{source}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise CommandError(f"{source}:{line}: is not text in UTF-8") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise CommandError(f"{source}:{line}: is not text, but binary")
    return text


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return cast(Mapping[str, Any], value)
    what = "a list" if isinstance(value, list) else f"only {value!r}"
    raise CommandError(f"{where}: is {what}, not the keys and values of a manifest")


def _parted(value: Mapping[str, Any], lines: Lines, source: str, json: bool) -> Iterator[Document]:
    items = value.get("items")
    if not (str(value.get("kind", "")).endswith("List") and isinstance(items, list)):
        yield Document(source=source, value=value, lines=lines, json=json)
        return
    for number, item in enumerate(cast(list[Any], items)):
        below = ("items", number)
        own = {keys[2:]: line for keys, line in lines.items() if keys[:2] == below}
        yield from _parted(_mapping(item, f"{source}:{own[_WHOLE]}"), own, source, json)
