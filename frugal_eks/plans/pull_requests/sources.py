"""Decides where a stack is previewed: on AWS, or in a rehearsal if it must not or cannot have
credentials.
"""

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
    """Origin of a change."""

    repository: str
    """OWNER/NAME of the repository that the workflow runs in."""
    head_repository: str | None
    """Repository that the change comes from; empty if it is gone, None for a push."""
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
    """Role ARNs by stack, from the repository's variable AWS_PREVIEW_ROLES (JSON).
    Empty means none. Raises PullRequestError if the text is anything else.
    """
    how = 'write {"STACK": "arn:aws:iam::111122223333:role/NAME"}'
    try:
        parsed: object = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise PullRequestError(f"AWS_PREVIEW_ROLES is no JSON ({error.msg}): {how}") from None
    if not isinstance(parsed, dict):
        raise PullRequestError(f"AWS_PREVIEW_ROLES is no JSON object: {how}")
    for stack, role in cast("dict[str, object]", parsed).items():
        if not (isinstance(role, str) and ROLE.fullmatch(role)):
            raise PullRequestError(
                f"AWS_PREVIEW_ROLES.{stack}: is no ARN of a role (got {role!r}): {how}"
            )
    return cast("dict[str, str]", parsed)


def region(stack_file: Path) -> str:
    """Region under `aws:region` of a stack file. Raises PullRequestError if there is none."""
    if match := REGION.search(stack_file.read_text(encoding="utf-8")):
        return match[1]
    raise PullRequestError(
        f"{stack_file.name}: aws:region must name an AWS region, e.g. `aws:region: eu-west-1`"
    )


def matrices(
    stacks: Iterable[str], files: Mapping[str, Path], by_stack: Mapping[str, str], origin: Origin
) -> dict[str, list[dict[str, str]]]:
    """Jobs on AWS and jobs in a rehearsal, each as a matrix's `include`."""
    jobs: dict[str, list[dict[str, str]]] = {"aws": [], "rehearsal": []}
    for stack in stacks:
        role = by_stack.get(stack)
        if role and not origin.distrust:
            job = {"stack": stack, "role": role, "region": region(files[stack])}
            jobs["aws"].append(job)
        else:
            why = origin.distrust or "no role of AWS is set for this stack"
            jobs["rehearsal"].append({"stack": stack, "why": why})
    return jobs
