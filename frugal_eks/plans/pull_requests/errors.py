"""What a workflow is told when something is wrong."""

from frugal_eks.errors import CommandError


class PullRequestError(CommandError):
    """One sentence for the job's log, what to do included."""
