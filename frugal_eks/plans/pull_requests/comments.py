"""Posts the comments of a finished preview run to its pull request, each stack's own.

Runs with the right to write, on the default branch's code: what it trusts is what GitHub's event
says of the run, never what the run itself says.
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
"""Stacks that one run comments on."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished run, in the words of the event that it made GitHub send."""

    repository: str
    """OWNER/NAME of the repository that it ran in."""
    id: str
    succeeded: bool
    head_sha: str
    head_branch: str
    head_owner: str
    head_repository: str

    @property
    def is_fork(self) -> bool:
        """Whether it ran code of another repository."""
        return self.head_repository != self.repository


def post(run: Run) -> list[str]:
    """Bring the pull request's comments up to date; what was done, a line each.

    Nothing is posted twice: a comment is found by its marker. Raises PullRequestError at the end
    if one of the artifacts is no comment; the others are posted nevertheless.
    """
    open_ones = _pull_requests(run)
    if not open_ones:
        return [f"no open pull request has {run.head_sha} as its head: nothing to post"]
    found, problems = _reviews(run, open_ones)
    done: list[str] = []
    for number in sorted({one.number for one in found} or open_ones):
        ours = [one for one in found if one.number == number]
        done += _post(run, number, ours, whole=run.succeeded and not problems)
    if problems:
        raise PullRequestError("\n".join([*done, *problems]))
    return done


def _pull_requests(run: Run) -> set[int]:
    """Open ones with this very commit as their head: their number is GitHub's word."""
    if not re.fullmatch(r"[0-9a-f]{40}", run.head_sha):
        raise PullRequestError(f"{run.head_sha!r} is no commit")
    head = f"{run.head_owner}:{run.head_branch}"
    found = github.pages(f"repos/{run.repository}/pulls", state="open", head=head)
    return {one["number"] for one in found if one["head"]["sha"] == run.head_sha}


def _reviews(run: Run, allowed: set[int]) -> tuple[list[Review], list[str]]:
    found: dict[str, Review] = {}
    problems: list[str] = []
    for artifact in _artifacts(run):
        name = artifact["name"]
        try:
            if artifact["size_in_bytes"] > reviews.LARGEST_ZIP:
                raise PullRequestError(f"{name} is larger than {reviews.LARGEST_ZIP} bytes")
            path = f"repos/{run.repository}/actions/artifacts/{int(artifact['id'])}/zip"
            one = reviews.read(github.download(path), name)
            if one.number not in allowed:
                raise PullRequestError(
                    f"{name} is meant for pull request {one.number}, whose head this run is not of"
                )
            if reviews.size(one.text) > reviews.LONGEST:
                raise PullRequestError(f"{name}: GitHub takes at most {reviews.LONGEST} characters")
        except PullRequestError as error:
            problems.append(str(error))
        else:
            found[one.marker] = one
    return list(found.values()), problems


def _artifacts(run: Run) -> list[Any]:
    path = f"repos/{run.repository}/actions/runs/{int(run.id)}/artifacts"
    found = [
        one for one in github.pages(path, "artifacts") if reviews.NAME.fullmatch(str(one["name"]))
    ]
    if len(found) > MOST:
        raise PullRequestError(f"the run left {len(found)} comments, more than {MOST}")
    return found


def _post(run: Run, number: int, ours: list[Review], *, whole: bool) -> Iterator[str]:
    earlier = _earlier(run, number)
    for one in ours:
        text = reviews.labelled(one, fork=run.is_fork)
        yield f"#{number} {one.marker}: {_write(run, number, text, earlier.pop(one.marker, None))}"
    # A run that has failed may have lost a comment on the way.
    for marker, comment in earlier.items() if whole else ():
        text = f"{marker}\nThe change as it is now does not touch this stack any more.\n"
        yield f"#{number} {marker}: {_write(run, number, text, comment)}"


def _earlier(run: Run, number: int) -> dict[str, Any]:
    """Our comments by their marker, the oldest of each."""
    found: dict[str, Any] = {}
    for comment in github.pages(f"repos/{run.repository}/issues/{number}/comments"):
        marker = str(comment["body"] or "").partition("\n")[0].rstrip("\r")
        if comment["user"]["login"] == AUTHOR and reviews.MARKER.fullmatch(marker):
            found.setdefault(marker, comment)
    return found


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
