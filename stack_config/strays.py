"""Finds keys of a stack file that the program never sees: a section there would silently be off."""

import difflib
from collections.abc import Iterable, Iterator

from components.section import Mistake
from stack_config.model import StackConfig

TOP_LEVEL = ("config", "secretsprovider", "encryptedkey", "encryptionsalt", "environment")
"""Keys that Pulumi reads in a stack file (its ProjectStack); it passes over all others."""
PROVIDERS = frozenset({"aws", "eks", "kubernetes", "pulumi"})
"""Namespaces of Pulumi itself and of the providers that the program uses."""
_SECTIONS = frozenset(field.alias or name for name, field in StackConfig.model_fields.items())
_NEAR = 0.8
"""Least likeness, as difflib counts it, of a namespace that is meant to be the project's."""


def stray_top_level(keys: Iterable[str], project: str) -> Iterator[Mistake]:
    """Mistakes of the keys that stand beside `config`."""
    for key in keys:
        section = key.removeprefix(f"{project}:")
        if key in TOP_LEVEL:
            continue
        if section in _SECTIONS:
            problem = (
                "stands on the top level of the file, where the program does not see it: move it "
                f"below config, as {project}:{section}"
            )
        else:
            close = difflib.get_close_matches(key, TOP_LEVEL, n=1)
            remedy = f"did you mean {close[0]}?" if close else "correct or drop it"
            problem = f"is no key of a Pulumi stack file: {remedy}"
        yield Mistake(key, problem)


def stray_namespaces(keys: Iterable[str], project: str) -> Iterator[Mistake]:
    """Mistakes of the keys below `config` that belong to no program or provider of the stack."""
    for full in keys:
        namespace, colon, key = full.partition(":")
        if not colon or namespace == project or namespace in PROVIDERS:
            continue
        likeness = difflib.SequenceMatcher(None, namespace, project).ratio()
        if key in _SECTIONS or likeness >= _NEAR:
            yield Mistake(
                full,
                f"is not read, since its namespace is {namespace}: did you mean {project}:{key}?",
            )
