"""Posts the comments of a finished preview run to its pull request, one per stack.

Runs with write permission, on the default branch's code: it trusts what GitHub's event says of the
run, never the run itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frugal_eks.plans.pull_requests import github, reviews
from frugal_eks.plans.pull_requests.errors import PullRequestError
from frugal_eks.plans.pull_requests.reviews import Review

AUTHOR = "github-actions[bot]"
MOST = 50
"""Maximum number of stacks that one run comments on."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished workflow run, as GitHub's event describes it."""

    repository: str
    """OWNER/NAME of the repository that the workflow ran in."""
    id: str
    succeeded: bool
    head_sha: str
    head_branch: str
    head_owner: str
    head_repository: str

    @property
    def is_fork(self) -> bool:
        """True if the run executed code of another repository."""
        return self.head_repository != self.repository


def post(run: Run) -> list[str]:
    """Brings the pull request's comments up to date; returns a line for each.
    Finds earlier comments by their marker, so nothing is posted twice. Raises PullRequestError at
    the end if an artifact is not a comment; the others are posted nevertheless.
    """
    open_ones = _pull_requests(run)
    if not open_ones:
        return [f"no open pull request has {run.head_sha} as its head: nothing to post"]
    received, problems = _reviews(run, open_ones)
    done: list[str] = []
    for number in sorted({review.number for review in received} or open_ones):
        ours = [review for review in received if review.number == number]
        done += _post(run, number, ours, whole=run.succeeded and not problems)
    if problems:
        raise PullRequestError("\n".join([*done, *problems]))
    return done


def _pull_requests(run: Run) -> set[int]:
    """Numbers of open pull requests whose head is this commit, according to GitHub."""
    if not re.fullmatch(r"[0-9a-f]{40}", run.head_sha):
        raise PullRequestError(f"{run.head_sha!r} is no commit")
    head = f"{run.head_owner}:{run.head_branch}"
    listed = github.pages(f"repos/{run.repository}/pulls", state="open", head=head)
    return {
        pull_request["number"]
        for pull_request in listed
        if pull_request["head"]["sha"] == run.head_sha
    }


def _reviews(run: Run, allowed: set[int]) -> tuple[list[Review], list[str]]:
    by_marker: dict[str, Review] = {}
    problems: list[str] = []
    for artifact in _artifacts(run):
        name = artifact["name"]
        try:
            if artifact["size_in_bytes"] > reviews.LARGEST_ZIP:
                raise PullRequestError(f"{name} is larger than {reviews.LARGEST_ZIP} bytes")
            path = f"repos/{run.repository}/actions/artifacts/{int(artifact['id'])}/zip"
            review = reviews.read(github.download(path), name)
            if review.number not in allowed:
                raise PullRequestError(
                    f"{name} is meant for pull request {review.number}, whose head this run is "
                    "not of"
                )
            if reviews.size(review.text) > reviews.LONGEST:
                raise PullRequestError(f"{name}: GitHub takes at most {reviews.LONGEST} characters")
        except PullRequestError as error:
            problems.append(str(error))
        else:
            by_marker[review.marker] = review
    return list(by_marker.values()), problems


def _artifacts(run: Run) -> list[Any]:
    path = f"repos/{run.repository}/actions/runs/{int(run.id)}/artifacts"
    matching = [
        artifact
        for artifact in github.pages(path, "artifacts")
        if reviews.NAME.fullmatch(str(artifact["name"]))
    ]
    if len(matching) > MOST:
        raise PullRequestError(f"the run left {len(matching)} comments, more than {MOST}")
    return matching


def _post(run: Run, number: int, ours: list[Review], *, whole: bool) -> Iterator[str]:
    earlier = _earlier(run, number)
    for review in ours:
        text = reviews.labelled(review, fork=run.is_fork)
        done = _write(run, number, text, earlier.pop(review.marker, None))
        yield f"#{number} {review.marker}: {done}"
    # A run that has failed may have lost a comment on the way.
    for marker, comment in earlier.items() if whole else ():
        text = f"{marker}\nThe change as it is now does not touch this stack any more.\n"
        yield f"#{number} {marker}: {_write(run, number, text, comment)}"


def _earlier(run: Run, number: int) -> dict[str, Any]:
    """This workflow's comments by their marker, the oldest of each."""
    by_marker: dict[str, Any] = {}
    for comment in github.pages(f"repos/{run.repository}/issues/{number}/comments"):
        marker = str(comment["body"] or "").partition("\n")[0].rstrip("\r")
        if comment["user"]["login"] == AUTHOR and reviews.MARKER.fullmatch(marker):
            by_marker.setdefault(marker, comment)
    return by_marker


def _write(run: Run, number: int, text: str, comment: Any) -> str:
    if comment is None:
        path = f"repos/{run.repository}/issues/{number}/comments"
        github.send(path, "POST", {"body": text})
        return "posted"
    # GitHub gives back what was sent with other ends of lines and without the last one.
    if comment["body"].replace("\r\n", "\n").strip() == text.strip():
        return "says that already"
    path = f"repos/{run.repository}/issues/comments/{int(comment['id'])}"
    github.send(path, "PATCH", {"body": text})
    return "updated"
