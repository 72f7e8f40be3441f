"""Comments as another job wrote them: whoever opened the pull request may have written anything.

So they are only ever read as text, never run, and only what has the form of a comment is taken.
"""

import io
import re
import zipfile
from dataclasses import dataclass

from frugal_eks.plans.pull_requests.errors import PullRequestError

NAME = re.compile(r"review-[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
"""Of an artifact that holds a comment."""
MARKER = re.compile(r"<!-- frugal-eks review: [\w.-]{1,100}/[\w./-]{1,200} -->")
"""The first line of a comment: project and stack."""
COMMENT, NUMBER = "comment.md", "number"
LONGEST = 65_536
"""Characters that GitHub takes."""
LARGEST_ZIP = 1_000_000
OF_A_FORK = (
    "> This comment was written by code of a fork, in a rehearsal without credentials: "
    "believe it as far as you believe the change."
)
CUT_OFF = "\n\n(cut off here: the artifact of the run holds all of it)\n"
MENTION = re.compile(r"(?<![\w`/])@(?=[A-Za-z0-9])")


@dataclass(frozen=True)
class Review:
    """What one stack's job wants to say."""

    marker: str
    text: str
    """Begins with the marker."""
    number: int
    """Of the pull request, as the job says: to be checked."""


def read(archive: bytes, name: str) -> Review:
    """An artifact's zip. Raises PullRequestError, with its name, if it is no comment of ours."""
    if len(archive) > LARGEST_ZIP:
        raise PullRequestError(f"{name} has {len(archive)} bytes, more than {LARGEST_ZIP}")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            text = _member(opened, COMMENT, 4 * LONGEST, name)
            number = _member(opened, NUMBER, 12, name).strip()
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise PullRequestError(f"{name} is no whole zip file: {error}") from None
    marker = text.partition("\n")[0].rstrip("\r")
    if not MARKER.fullmatch(marker):
        raise PullRequestError(f"{name}: {COMMENT} does not begin with a marker of a review")
    if not re.fullmatch(r"[1-9][0-9]{0,9}", number):
        raise PullRequestError(f"{name}: {NUMBER} is no number of a pull request")
    return Review(marker, text, int(number))


def labelled(review: Review, *, fork: bool) -> str:
    """The comment as it is posted: nobody is called by it, and a fork's words are told as such."""
    # A zero-width space: it looks the same and calls nobody.
    text = MENTION.sub("@\u200b", review.text)
    if fork:
        text = text.replace(review.marker, f"{review.marker}\n{OF_A_FORK}\n", 1)
    if size(text) <= LONGEST:
        return text
    # A review may be as long as GitHub takes: then it has no room for what was added.
    units = text.encode("utf-16-le")[: 2 * (LONGEST - len(CUT_OFF))]
    return f"{units.decode('utf-16-le', errors='ignore')}{CUT_OFF}"


def size(text: str) -> int:
    """As GitHub may count: a sign beyond the first 65,536 of Unicode is two."""
    return len(text.encode("utf-16-le")) // 2


def _member(opened: zipfile.ZipFile, wanted: str, most: int, name: str) -> str:
    try:
        with opened.open(wanted) as file:
            # What the zip says of the size is the sender's word: read no more than this.
            found = file.read(most + 1)
    except KeyError:
        raise PullRequestError(f"{name} has no {wanted}") from None
    if len(found) > most:
        raise PullRequestError(f"{name}: {wanted} has more than {most} bytes")
    try:
        return found.decode()
    except UnicodeDecodeError:
        raise PullRequestError(f"{name}: {wanted} is no UTF-8 text") from None
