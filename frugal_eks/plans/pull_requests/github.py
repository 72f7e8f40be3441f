"""GitHub's API, asked with the `gh` command: it is on every runner and knows the job's token."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.plans.pull_requests.errors import PullRequestError

PAGE = 100
"""The most that GitHub gives at once."""
PAGES = 30
"""A pull request with more comments than 3,000 is not ours to page through."""


def ask(path: str, method: str = "GET", /, **query: str | int) -> Any:
    """The answer to a request without a body. Raises PullRequestError with what gh says."""
    fields = [part for key, value in query.items() for part in ("-f", f"{key}={value}")]
    return json.loads(_gh("--method", method, path, *fields))


def send(path: str, method: str, body: Mapping[str, Any]) -> None:
    """A request with a JSON body. Raises PullRequestError with what gh says."""
    _gh("--method", method, path, "--input", "-", given=json.dumps(body).encode())


def download(path: str) -> bytes:
    """The bytes behind a path. Raises PullRequestError with what gh says."""
    return _gh(path)


def pages(path: str, inside: str = "", /, **query: str) -> Iterator[Any]:
    """All of a list, page by page; `inside` names the key that holds it, if there is one."""
    for number in range(1, PAGES + 1):
        answer = ask(path, per_page=PAGE, page=number, **query)
        found = answer[inside] if inside else answer
        yield from found
        if len(found) < PAGE:
            return


def _gh(*arguments: str, given: bytes = b"") -> bytes:
    told = subprocess.run(["gh", "api", *arguments], input=given, capture_output=True, check=False)
    if told.returncode:
        said = told.stderr.decode(errors="replace").strip()
        raise PullRequestError(f"GitHub refused {arguments[-1]}: {said}")
    return told.stdout
