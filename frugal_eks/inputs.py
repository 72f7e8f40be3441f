"""Reads inputs of commands: files, standard input, and the stack files of stacks/."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from frugal_eks.errors import CommandError

if TYPE_CHECKING:
    from stack_config import StackConfig

STANDARD_INPUT = "-"
STACKS = Path(__file__).parents[1] / "stacks"


class StackFile(NamedTuple):
    """The text of a stack file."""

    stack: str
    """Name of the stack: `dev` for Pulumi.dev.yaml."""
    file: str
    """The file, as messages name it."""
    text: str


def shown(given: str) -> str:
    """Name of an input in messages."""
    return "standard input" if given == STANDARD_INPUT else given


def text_of(given: str) -> str:
    """Text of a file, or of standard input. Raises CommandError."""
    try:
        if given == STANDARD_INPUT:
            return sys.stdin.buffer.read().decode()
        return Path(given).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CommandError(f"{shown(given)}: is no text in UTF-8") from None
    except OSError as error:
        raise CommandError(f"{given}: cannot be read: {error.strerror}") from None


def stack_files() -> dict[str, Path]:
    """Files of stacks/ by stack name."""
    return {_stack(file): file for file in sorted(STACKS.glob("Pulumi.*.yaml"))}


def stack_path(given: str) -> tuple[str, Path]:
    """Name and file of a stack, from either of them. Raises CommandError."""
    known, path = stack_files(), Path(given)
    if given in known:
        return given, known[given]
    if path.suffix in {".yaml", ".yml"} or len(path.parts) > 1:
        return _stack(path), path
    raise CommandError(
        f"{given}: there is no stacks/Pulumi.{given}.yaml: name one of {', '.join(known)}, or give "
        "a file"
    )


def stack_file(given: str) -> StackFile:
    """Stack file from a stack name, a file, or standard input. Raises CommandError."""
    if given == STANDARD_INPUT:
        return StackFile("stdin", shown(given), text_of(given))
    stack, path = stack_path(given)
    file = f"stacks/{path.name}" if given == stack else given
    return StackFile(stack, file, text_of(str(path)))


def _stack(file: Path) -> str:
    return file.stem.removeprefix("Pulumi.")


def config_of(file: StackFile) -> "StackConfig":
    """Configuration of a stack file. Raises CommandError with all its mistakes."""
    # Commands that only read previews are spared the models.
    from stack_config import StackConfig  # noqa: PLC0415
    from stack_config.check import model, report  # noqa: PLC0415

    parsed = model(file.text)
    if isinstance(parsed, StackConfig):
        return parsed
    raise CommandError("\n".join(report(file.file, file.text)))
