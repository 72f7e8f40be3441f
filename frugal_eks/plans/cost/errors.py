"""Errors of an estimate."""

from frugal_eks.errors import CommandError


class CostError(CommandError):
    """Why a cost cannot be estimated, in one sentence: what is wrong, where, and what to do."""
