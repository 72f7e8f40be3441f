"""Writes a command's result."""

import io
import json
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frugal_eks.errors import CommandError

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 200
"""Maximum columns without a terminal, so that logs stay readable."""


@contextmanager
def written_to(file: Path | None) -> Generator[None]:
    """Redirects standard output into a file, which is written whole or not at all. Raises
    CommandError.
    """
    if file is None:
        yield
        return
    with redirect_stdout(io.StringIO()) as result:
        yield
    partial = file.with_name(f"{file.name}.partial")
    try:
        partial.write_text(result.getvalue(), encoding="utf-8")
        partial.replace(file)
    except OSError as error:
        raise CommandError(f"{file}: cannot be written: {error.strerror}") from None


def print_json(result: Any) -> None:
    """Prints a result for programs."""
    print(json.dumps(result, indent=2, ensure_ascii=False))


def console(*, width: int = WIDTH, stderr: bool = False) -> "Console":
    """A rich console; without a terminal it has `width` columns."""
    from rich.console import Console  # noqa: PLC0415 (not every command needs it)

    class Piped(Console):
        """A console that leaves a broken pipe to the command line; rich's own exits with 1."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    piped = Piped(stderr=stderr)
    return piped if piped.is_terminal else Piped(stderr=stderr, width=width)
