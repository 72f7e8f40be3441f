"""Errors of the pull request workflows."""

from frugal_eks.errors import CommandError


class PullRequestError(CommandError):
    """A message for the job's log, in one sentence with the remedy."""
