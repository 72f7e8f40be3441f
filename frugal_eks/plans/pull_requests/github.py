"""GitHub's API through the `gh` command, which every runner has with the job's token."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.plans.pull_requests.errors import PullRequestError

PAGE = 100
"""Maximum number of items that GitHub returns per page."""
PAGES = 30
"""Maximum number of pages: pull requests with over 3,000 comments are not supported."""


def ask(path: str, method: str = "GET", /, **query: str | int) -> Any:
    """Sends a request without a body and returns the answer. Raises PullRequestError with gh's
    message.
    """
    fields = [part for key, value in query.items() for part in ("-f", f"{key}={value}")]
    return json.loads(_gh("--method", method, path, *fields))


def send(path: str, method: str, body: Mapping[str, Any]) -> None:
    """Sends a request with a JSON body. Raises PullRequestError with gh's message."""
    _gh("--method", method, path, "--input", "-", given=json.dumps(body).encode())


def download(path: str) -> bytes:
    """Downloads the bytes behind a path. Raises PullRequestError with gh's message."""
    return _gh(path)


def pages(path: str, inside: str = "", /, **query: str) -> Iterator[Any]:
    """All items of a list, page by page; `inside` is the key that holds the list, if any."""
    for number in range(1, PAGES + 1):
        answer = ask(path, per_page=PAGE, page=number, **query)
        items = answer[inside] if inside else answer
        yield from items
        if len(items) < PAGE:
            return


def _gh(*arguments: str, given: bytes = b"") -> bytes:
    result = subprocess.run(
        ["gh", "api", *arguments], input=given, capture_output=True, check=False
    )
    if result.returncode:
        said = result.stderr.decode(errors="replace").strip()
        raise PullRequestError(f"GitHub refused {arguments[-1]}: {said}")
    return result.stdout
