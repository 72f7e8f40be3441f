"""Where a stack is previewed: on AWS, or in a rehearsal where credentials must not or cannot be."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from frugal_eks.plans.pull_requests.errors import PullRequestError

ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+")
REGION = re.compile(r"""(?m)^\s+["']?aws:region["']?:\s*["']?([a-z]{2}(?:-[a-z]+)+-\d)\b""")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Whose change it is."""

    repository: str
    """OWNER/NAME of the repository that the workflow runs in."""
    head_repository: str | None
    """The one that the change comes from; empty if it is gone, None for a push."""
    author_type: str
    """`User` or `Bot`, in GitHub's words; empty for a push."""

    @property
    def distrust(self) -> str:
        """Why this change's code gets no credentials; empty if it may have them.

        A bot's branch runs releases of dependencies that nobody has looked at.
        """
        if self.head_repository not in {None, self.repository}:
            return "the change comes from a fork"
        return "the change is a bot's" if self.author_type == "Bot" else ""


def roles(text: str) -> dict[str, str]:
    """The repository's variable AWS_PREVIEW_ROLES: the role's ARN of each stack, as JSON.

    Raises PullRequestError if it is anything else; empty means none.
    """
    how = 'write {"STACK": "arn:aws:iam::111122223333:role/NAME"}'
    try:
        found: object = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise PullRequestError(f"AWS_PREVIEW_ROLES is no JSON ({error.msg}): {how}") from None
    if not isinstance(found, dict):
        raise PullRequestError(f"AWS_PREVIEW_ROLES is no JSON object: {how}")
    for stack, role in cast("dict[str, object]", found).items():
        if not (isinstance(role, str) and ROLE.fullmatch(role)):
            raise PullRequestError(
                f"AWS_PREVIEW_ROLES.{stack}: is no ARN of a role (got {role!r}): {how}"
            )
    return cast("dict[str, str]", found)


def region(stack_file: Path) -> str:
    """What the file names under `aws:region`. Raises PullRequestError if it names none."""
    if match := REGION.search(stack_file.read_text(encoding="utf-8")):
        return match[1]
    raise PullRequestError(
        f"{stack_file.name}: aws:region must name an AWS region, e.g. `aws:region: eu-west-1`"
    )


def matrices(
    stacks: Iterable[str], files: Mapping[str, Path], by_stack: Mapping[str, str], origin: Origin
) -> dict[str, list[dict[str, str]]]:
    """The jobs on AWS and those in a rehearsal, each as a matrix's `include`."""
    found: dict[str, list[dict[str, str]]] = {"aws": [], "rehearsal": []}
    for stack in stacks:
        role = by_stack.get(stack)
        if role and not origin.distrust:
            one = {"stack": stack, "role": role, "region": region(files[stack])}
            found["aws"].append(one)
        else:
            why = origin.distrust or "no role of AWS is set for this stack"
            found["rehearsal"].append({"stack": stack, "why": why})
    return found
