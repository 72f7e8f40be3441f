"""Fills in `${NAME}`, as a shell would have done that read the same text as a heredoc."""

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
OPTIONS = {"CLUSTER_NAME": "--cluster", "AWS_REGION": "--region", "AWS_DEFAULT_REGION": "--region"}
"""Options that set a name's value."""


class PlaceholderError(Exception):
    """Placeholders without a value: line of the first one, and what to add to the command."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with all placeholders filled in; comment lines stay as they are. Raises
    PlaceholderError with all names that have no value.
    """
    wanting: dict[str, int] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            continue
        for name in _PLACEHOLDER.findall(line):
            if name not in values:
                wanting.setdefault(name, number + 1)
        lines[number] = _PLACEHOLDER.sub(lambda match: values.get(match[1], ""), line)
    if wanting:
        raise PlaceholderError(min(wanting.values()), _problem(list(wanting)))
    return "\n".join(lines)


def _problem(names: list[str]) -> str:
    shown = ", ".join(f"${{{name}}}" for name in names)
    # One --region fills in both names of it.
    options = dict.fromkeys(
        f"{OPTIONS[name]} …" if name in OPTIONS else f"--set {name}=…" for name in names
    )
    return f"{shown} {'has' if len(names) == 1 else 'have'} no value: add {' '.join(options)}"
