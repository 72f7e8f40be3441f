"""What a workflow is told when something is wrong."""


class PullRequestError(Exception):
    """One sentence for the job's log, what to do included."""
