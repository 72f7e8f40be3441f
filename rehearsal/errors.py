"""Errors of a rehearsal, each told in one sentence."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as shells count."""


class RehearsalError(Exception):
    """A failure that the user can do something about, printed without a traceback."""

    code = 1
    """Exit code of a command that ends with this error."""


class StackFileError(RehearsalError):
    """A stack file that cannot be rehearsed."""

    code = 2
