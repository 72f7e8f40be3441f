"""Reads comments that another job wrote, whose content is untrusted.

They are only read as text, never run, and must have the form of a comment.
"""

import io
import re
import zipfile
from dataclasses import dataclass

from frugal_eks.plans.pull_requests.errors import PullRequestError

NAME = re.compile(r"review-[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
"""Name of an artifact that holds a comment."""
MARKER = re.compile(r"<!-- frugal-eks review: [\w.-]{1,100}/[\w./-]{1,200} -->")
"""First line of a comment: project and stack."""
COMMENT, NUMBER = "comment.md", "number"
LONGEST = 65_536
"""Maximum characters of a comment on GitHub."""
LARGEST_ZIP = 1_000_000
OF_A_FORK = (
    "> This comment was written by code of a fork, in a rehearsal without credentials: "
    "believe it as far as you believe the change."
)
CUT_OFF = "\n\n(cut off here: the artifact of the run holds all of it)\n"
MENTION = re.compile(r"(?<![\w`/])@(?=[A-Za-z0-9])")


@dataclass(frozen=True)
class Review:
    """The comment of one stack's job."""

    marker: str
    text: str
    """Markdown that begins with the marker."""
    number: int
    """Number of the pull request according to the job: must be checked."""


def read(archive: bytes, name: str) -> Review:
    """Reads an artifact's zip. Raises PullRequestError, with its name, if it is not a comment."""
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
    """The text to post: without mentions, and with a notice if it comes from a fork."""
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
    """Length of a text as GitHub may count it: a character above U+FFFF counts as two."""
    return len(text.encode("utf-16-le")) // 2


def _member(opened: zipfile.ZipFile, wanted: str, most: int, name: str) -> str:
    try:
        with opened.open(wanted) as file:
            # What the zip says of the size is the sender's word: read no more than this.
            content = file.read(most + 1)
    except KeyError:
        raise PullRequestError(f"{name} has no {wanted}") from None
    if len(content) > most:
        raise PullRequestError(f"{name}: {wanted} has more than {most} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise PullRequestError(f"{name}: {wanted} is no UTF-8 text") from None
