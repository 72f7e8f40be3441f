"""Parses the command line of a controller, from its pod's first container."""

import re
from collections.abc import Collection, Sequence

from rehearsal.scenario import duration

DURATION = re.compile(r"(\d+(\.\d+)?[hms])+")


class ArgumentsError(Exception):
    """Why the arguments are refused by the real controller, or are not played, in one sentence."""


class Arguments:
    """Options such as `--source=service --source=ingress --events`."""

    def __init__(self, words: Sequence[str]) -> None:
        """Raises ArgumentsError about a word that is no option."""
        self.values: dict[str, list[str]] = {}
        for word in words:
            if not word.startswith("--"):
                raise ArgumentsError(f"argument {word!r} is no option: write --name=value")
            name, given, value = word.removeprefix("--").partition("=")
            self.values.setdefault(name, []).append(value if given else "true")

    def require_known(self, known: Collection[str]) -> None:
        """Raises ArgumentsError naming every option that is not among `known`."""
        names = {name.removeprefix("no-"): name for name in self.values}
        if strange := [f"--{name}" for bare, name in names.items() if bare not in known]:
            raise ArgumentsError(f"{', '.join(strange)} is not played by the rehearsal")

    def all(self, name: str) -> list[str]:
        """All values of an option that may be repeated."""
        return self.values.get(name, [])

    def text(self, name: str, default: str = "") -> str:
        """Value of an option; the last one counts."""
        return self.values.get(name, [default])[-1]

    def needed(self, name: str) -> str:
        """Value of a required option. Raises ArgumentsError if it is missing or empty."""
        if not (value := self.text(name)):
            raise ArgumentsError(f"--{name} must be given")
        return value

    def on(self, name: str) -> bool:
        """True if a switch, off by default, is on."""
        return self.text(name, "false") == "true"

    def seconds(self, name: str, default: float) -> float:
        """Seconds of a Go duration such as 1m30s. Raises ArgumentsError if it is not one."""
        if name not in self.values:
            return default
        if not DURATION.fullmatch(self.text(name)):
            raise ArgumentsError(f"--{name}={self.text(name)} is no duration such as 1m30s")
        return duration(self.text(name))
