"""What goes wrong with an estimate."""

from frugal_eks.errors import CommandError


class CostError(CommandError):
    """One sentence: what is wrong, where, and what to do."""
