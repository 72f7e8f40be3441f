"""What goes wrong with a rehearsal, told in one sentence."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as shells count."""


class RehearsalError(Exception):
    """A mistake or a failure that the user can do something about: printed without a traceback."""

    code = 1
    """The exit code of a command that ends by it."""


class StackFileError(RehearsalError):
    """A stack file that cannot be rehearsed."""

    code = 2
