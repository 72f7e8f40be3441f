"""The API server's rules for the metadata of every object, whatever its kind."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .crd_structure import PathParts, Refusal, Schema, as_map

_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_PART}(\.{_PART})*")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_MOST_OF_SUBDOMAIN = 253
_MOST_OF_NAME = 63
_MOST_OF_ANNOTATIONS = 256 * 1024
"""Most bytes of all annotation keys and values together."""

_TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
SCHEMA: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "labels": _TEXTS, "annotations": _TEXTS},
    "additionalProperties": {},
}
"""Schema of metadata. A CRD allows any object there: the API server knows the fields by itself."""


def refusals(metadata: Mapping[str, Any]) -> Iterator[Refusal]:
    """Mistakes in name, labels and annotations, assuming that their types are right."""
    here: PathParts = ("metadata",)
    name = metadata.get("name")
    if isinstance(name, str) and not _is_subdomain(name):
        words = "must consist of lower case letters, digits, '-' and '.', in parts that start and"
        yield Refusal((*here, "name"), f"{words} end with a letter or digit", name)
    labels, annotations = as_map(metadata.get("labels")), as_map(metadata.get("annotations"))
    for field, entries in (("labels", labels), ("annotations", annotations)):
        for key, value in entries.items():
            problem = _wrong_key(key)
            if problem:
                yield Refusal((*here, field, key), problem, value)
    for key, value in labels.items():
        if isinstance(value, str) and value and not _is_name(value):
            yield Refusal((*here, "labels", key), f"{_NAME_WORDS} and may be empty", value)
    size = sum(len(f"{key}{value}".encode()) for key, value in annotations.items())
    if size > _MOST_OF_ANNOTATIONS:
        words = f"may not be more than {_MOST_OF_ANNOTATIONS} bytes together"
        yield Refusal((*here, "annotations"), words, size)


_NAME_WORDS = (
    "must be at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
)


def _is_subdomain(text: str) -> bool:
    return len(text) <= _MOST_OF_SUBDOMAIN and bool(_SUBDOMAIN.fullmatch(text))


def _is_name(text: str) -> bool:
    return len(text) <= _MOST_OF_NAME and bool(_NAME.fullmatch(text))


def _wrong_key(key: str) -> str:
    domain, slash, name = key.rpartition("/")
    if slash and not _is_subdomain(domain.lower()):
        return "has a key whose part before the slash is no lower case domain"
    return "" if _is_name(name) else f"has a key whose name {_NAME_WORDS}"
