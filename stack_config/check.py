"""Reads a stack file as Pulumi does, without Pulumi, and reports all its mistakes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from components.section import Mistake
from stack_config import mistakes
from stack_config.model import AWS_KEYS, StackConfig
from stack_config.settings import SECRET, decoded, parsed
from stack_config.strays import stray_namespaces, stray_top_level
from stack_config.yaml_text import Keys, Lines, YamlError, documents

PROJECT = "frugal-eks"
NAMESPACE = f"{PROJECT}:"
_CONFIG = "config"


class LocatedMistake(NamedTuple):
    """A mistake with its line in the stack file."""

    line: int
    """Number of the line, from 1."""
    words: str
    """Path, problem, remedy and value, as `pulumi up` prints them."""


def problems(text: str) -> Sequence[LocatedMistake]:
    """All mistakes of a stack file, in the order of its lines; empty if the program accepts it."""
    checked = model(text)
    return [] if isinstance(checked, StackConfig) else checked


def model(text: str) -> StackConfig | Sequence[LocatedMistake]:
    """The model of a stack file, or all its mistakes in the order of its lines."""
    try:
        read = list(documents(text, of_pulumi=True))
    except YamlError as error:
        return [LocatedMistake(error.line, error.problem)]
    if len(read) != 1:
        return [LocatedMistake(1, f"holds {len(read)} YAML documents: a stack file is one")]
    document, lines = read[0]
    whole = _map(document)
    settings = _map(whole.get(_CONFIG))
    ours = _settings(settings)
    strays = [
        LocatedMistake(lines.get((mistake.path,), 1), mistakes.line(mistake).strip())
        for mistake in stray_top_level(map(str, whole), PROJECT)
    ]
    strays += [_located(each, lines) for each in stray_namespaces(map(str, settings), PROJECT)]
    if not strays and not any(":" not in key for key in ours):
        return [
            LocatedMistake(
                1, f"says nothing of {NAMESPACE}…: begin with stacks/Pulumi.nodeless.yaml"
            )
        ]
    outcome = parsed(ours)
    if isinstance(outcome, StackConfig):
        return sorted(strays) or outcome
    return sorted([*strays, *(_located(mistake, lines) for mistake in outcome)])


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the program gets, by their keys without the project's name."""
    settings: dict[str, Any] = {}
    for key, value in config.items():
        # Pulumi takes a key without a namespace for one of the project's.
        if key in AWS_KEYS or key.startswith(NAMESPACE) or ":" not in key:
            settings[key.removeprefix(NAMESPACE)] = _handed_over(value)
    return settings


def _handed_over(value: Any) -> Any:
    """A value as the program receives it: the Pulumi CLI passes texts, which the program
    decodes.
    """
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


def _located(mistake: Mistake, lines: Lines) -> LocatedMistake:
    """The mistake with the line of the key at its path, or of the nearest key above."""
    named = {_path(keys): line for keys, line in lines.items()}
    inside = [path for path in named if _leads_to(path, mistake.path)]
    line = named[max(inside, key=len)] if inside else named.get(_CONFIG, 1)
    return LocatedMistake(line, mistakes.line(mistake).strip())


def _path(keys: Keys) -> str:
    """A path as mistakes spell it: `karpenter.nodePools.default.taints[0]`."""
    path = ""
    for key in keys[1:]:
        part = f"[{key}]" if isinstance(key, int) else f".{key}"
        path += part if path else str(key).removeprefix(NAMESPACE)
    return path


def _leads_to(path: str, longer: str) -> bool:
    return bool(path) and (longer == path or longer.startswith((f"{path}.", f"{path}[")))


def _map(value: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if _is_map(value) else {}


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def report(file: str, text: str) -> Iterator[str]:
    """Lines to print about a file: one line, or a heading and a line for each mistake."""
    findings = problems(text)
    if not findings:
        yield f"{file} is valid."
        return
    yield f"{file} is not valid:"
    yield from (f"  line {finding.line}: {finding.words}" for finding in findings)
