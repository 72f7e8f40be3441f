"""The command line of a controller, as its pod's first container has it."""

import re
from collections.abc import Collection, Sequence

from rehearsal.scenario import duration

DURATION = re.compile(r"(\d+(\.\d+)?[hms])+")


class ArgumentsError(Exception):
    """What the real controller would refuse, or what is not played: one sentence."""


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
        """Each value of an option that may be repeated."""
        return self.values.get(name, [])

    def text(self, name: str, default: str = "") -> str:
        """The last value counts."""
        return self.values.get(name, [default])[-1]

    def needed(self, name: str) -> str:
        """Raises ArgumentsError if the option is missing or empty."""
        if not (value := self.text(name)):
            raise ArgumentsError(f"--{name} must be given")
        return value

    def on(self, name: str) -> bool:
        """Whether a switch, off by itself, is on."""
        return self.text(name, "false") == "true"

    def seconds(self, name: str, default: float) -> float:
        """A duration of Go such as 1m30s. Raises ArgumentsError if it is none."""
        if name not in self.values:
            return default
        if not DURATION.fullmatch(self.text(name)):
            raise ArgumentsError(f"--{name}={self.text(name)} is no duration such as 1m30s")
        return duration(self.text(name))
