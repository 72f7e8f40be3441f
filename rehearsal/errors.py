"""What goes wrong with a rehearsal, told in one sentence."""


class RehearsalError(Exception):
    """A mistake or a failure that the user can do something about: printed without a traceback."""
