"""Converts all documents of a run and merges the results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from frugal_eks.errors import CommandError
from frugal_eks.migrate.converters import KNOWN, converter_of
from frugal_eks.migrate.documents import Document
from frugal_eks.migrate.eksctl import cluster_config
from frugal_eks.migrate.notes import Context, Note, Place
from frugal_eks.migrate.reader import Reader, ShapeError, leaves, written


@dataclass(frozen=True, kw_only=True)
class Left:
    """A part of a source that the stack file does not express."""

    where: str
    """File and line, such as `cluster.yaml:12`."""
    title: str
    """Title of the document, such as `Provisioner default`."""
    note: Note


@dataclass(kw_only=True)
class Migration:
    """The merged parts of the stack file, and what has no equivalent there."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    comments: dict[Place, str] = field(default_factory=dict[Place, str])
    left: list[Left] = field(default_factory=list[Left])


def convert(
    documents: Sequence[Document], *, cluster: str | None = None, region: str | None = None
) -> Migration:
    """Converts all documents in order. `cluster` and `region` override a ClusterConfig.

    Raises CommandError if no converter handles any document, or one violates its API.
    """
    migration = Migration()
    latest = _latest(documents)
    context = _context(latest, cluster, region)
    known = False
    for document in documents:
        converter = converter_of(document.value)
        if converter is None:
            note = Note("", "is nothing that the stack file has a section for")
            migration.left.append(_left(document, note))
            continue
        known = True
        if not any(document is each for each in latest):
            migration.left.extend(_superseded(document, latest))
            continue
        source = Reader(document.value)
        try:
            converted = converter.convert(source, context)
        except ShapeError as error:
            raise CommandError(f"{document.source}:{_line(document, error)}: {error}") from error
        for place, was, now in merge(migration.values, converted.sections):
            text = f"{written(place)} is {was!r} of another document too: this one counts"
            migration.left.append(_left(document, Note("", text, now)))
        for place, text in converted.comments.items():
            before = migration.comments.get(place)
            migration.comments[place] = text if before in {None, text} else f"{before}; {text}"
        migration.left.extend(_left(document, note) for note in (*converted.left, *source.rest()))
    if not known:
        raise CommandError(_unknown(documents[0]))
    return migration


def merge(into: dict[str, Any], new: Mapping[str, Any]) -> list[tuple[Place, Any, Any]]:
    """Merges `new` into `into`. Returns place, old value and new value of each conflict; the new
    value counts.
    """
    return list(_merged(into, new, ()))


def _merged(
    into: dict[str, Any], new: Mapping[str, Any], place: Place
) -> Iterator[tuple[Place, Any, Any]]:
    for key, value in new.items():
        before = into.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            inner = cast(dict[str, Any], before)
            yield from _merged(inner, cast(dict[str, Any], value), (*place, key))
            continue
        if key in into and before != value:
            yield (*place, key), before, value
        into[key] = value


def _latest(documents: Sequence[Document]) -> list[Document]:
    """The last document of each kind and name, as after `kubectl apply`. All ClusterConfigs are
    kept: eksctl adds node groups by a second one.
    """
    by_identity: dict[Any, Document] = {}
    for number, document in enumerate(documents):
        by_identity[_identity(document) or number] = document
    return [each for each in documents if any(each is kept for kept in by_identity.values())]


def _identity(document: Document) -> tuple[str, ...] | None:
    if not (document.kind and document.name) or cluster_config.handles(document.value):
        return None
    api = str(document.value.get("apiVersion"))
    return api, document.kind, document.namespace, document.name


def _superseded(document: Document, latest: Sequence[Document]) -> Iterator[Left]:
    identity = _identity(document)
    last = next(each for each in latest if _identity(each) == identity)
    text = f"comes again in {last.where}, which counts, as for kubectl apply"
    yield _left(document, Note("", text))
    there = dict(leaves(last.value))
    for way, value in leaves(document.value):
        if way not in there or there[way] != value:
            yield _left(document, Note(written(way), f"not so in {last.where}", value))


def _context(documents: Sequence[Document], cluster: str | None, region: str | None) -> Context:
    for document in documents:
        if cluster_config.handles(document.value):
            metadata = document.value.get("metadata")
            if isinstance(metadata, Mapping):
                given = cast(Mapping[str, Any], metadata)
                cluster = cluster or _text(given.get("name"))
                region = region or _text(given.get("region"))
    values = [document.value for document in documents]
    return Context(cluster=cluster, region=region, documents=values)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _left(document: Document, note: Note) -> Left:
    where = f"{document.source}:{document.line(note.path)}"
    return Left(where=where, title=document.title, note=note)


def _line(document: Document, error: ShapeError) -> int:
    keys = error.keys
    while keys not in document.lines:
        keys = keys[:-1]
    return document.lines[keys]


def _unknown(document: Document) -> str:
    api = document.value.get("apiVersion")
    what = (
        f"a {document.kind} of {api}" if document.kind else "no manifest with apiVersion and kind"
    )
    form = " (JSON)" if document.json else ""
    return f"{document.where}: is {what}{form}, which is not converted: give {KNOWN}"
