"""Reads a stack file as Pulumi does, without Pulumi, and tells all that is wrong with it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from components.section import Mistake
from stack_config import mistakes
from stack_config.model import AWS_KEYS, StackConfig
from stack_config.settings import SECRET, decoded, parsed
from stack_config.yaml_text import Keys, Lines, YamlError, documents

NAMESPACE = "frugal-eks:"
_CONFIG = "config"


class Told(NamedTuple):
    """One mistake, and where it stands."""

    line: int
    """From 1."""
    words: str
    """Path, problem, remedy and value, as `pulumi up` tells them."""


def problems(text: str) -> Sequence[Told]:
    """All mistakes of a stack file, in the order of its lines; none: the program takes it."""
    found = model(text)
    return [] if isinstance(found, StackConfig) else found


def model(text: str) -> StackConfig | Sequence[Told]:
    """What a stack file says, or all its mistakes in the order of its lines."""
    try:
        read = list(documents(text, of_pulumi=True))
    except YamlError as error:
        return [Told(error.line, error.problem)]
    if len(read) != 1:
        return [Told(1, f"holds {len(read)} YAML documents: a stack file is one")]
    document, lines = read[0]
    config = cast(Mapping[str, Any], document).get(_CONFIG) if _is_map(document) else None
    ours = _settings(cast(Mapping[str, Any], config)) if _is_map(config) else {}
    if not any(":" not in key for key in ours):
        return [Told(1, f"says nothing of {NAMESPACE}…: begin with stacks/Pulumi.nodeless.yaml")]
    found = parsed(ours)
    if isinstance(found, StackConfig):
        return found
    return sorted(_told(mistake, lines) for mistake in found)


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the program gets, by their keys without the project's name."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        # Pulumi takes a key without a namespace for one of the project's.
        if key in AWS_KEYS or key.startswith(NAMESPACE) or ":" not in key:
            found[key.removeprefix(NAMESPACE)] = _handed_over(value)
    return found


def _handed_over(value: Any) -> Any:
    """What becomes of a value on the way: the CLI hands texts over, the program decodes them."""
    if _has_secret(value):
        return SECRET
    if value is None:
        return ""
    return decoded(value if isinstance(value, str) else json.dumps(value))


def _has_secret(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_secret, cast(list[Any], value)))
    if not _is_map(value):
        return False
    below = cast(Mapping[str, Any], value)
    return [*below] == ["secure"] or any(map(_has_secret, below.values()))


def _told(mistake: Mistake, lines: Lines) -> Told:
    """With the line of the key that the path names, or of the nearest above it."""
    named = {_path(keys): line for keys, line in lines.items()}
    inside = [path for path in named if _leads_to(path, mistake.path)]
    line = named[max(inside, key=len)] if inside else named.get(_CONFIG, 1)
    return Told(line, mistakes.line(mistake).strip())


def _path(keys: Keys) -> str:
    """As a mistake spells it: `karpenter.nodePools.default.taints[0]`."""
    path = ""
    for key in keys[1:]:
        part = f"[{key}]" if isinstance(key, int) else f".{key}"
        path += part if path else str(key).removeprefix(NAMESPACE)
    return path


def _leads_to(path: str, longer: str) -> bool:
    return bool(path) and (longer == path or longer.startswith((f"{path}.", f"{path}[")))


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def report(file: str, text: str) -> Iterator[str]:
    """What is printed of a file: one line, or a heading and a line for each mistake."""
    found = problems(text)
    if not found:
        yield f"{file} is valid."
        return
    yield f"{file} is not valid:"
    yield from (f"  line {told.line}: {told.words}" for told in found)
