"""The error that ends a command with one message."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as shells count."""


class CommandError(Exception):
    """Why a command has no result, with what to do, for the user."""

    code = 2
    """The command's exit code: an input cannot be read, or the command is wrongly used."""

    def __init__(self, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.code = self.code if code is None else code
