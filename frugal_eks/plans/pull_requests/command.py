"""What the workflows in .github do with pull requests; docs/pull-requests.md tells the whole.

`stacks`, `changed` and `post` take what GitHub knows from the environment and need nothing but
Python and, for `post`, the `gh` command.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from frugal_eks.arguments import add_output, add_preview, page
from frugal_eks.plans.pull_requests import comments, plans, sources, touched
from frugal_eks.plans.pull_requests.errors import PullRequestError
from frugal_eks.plans.pull_requests.failures import failure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds a subcommand for each step of a workflow."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    stacks = page(commands, "stacks", "tell which stacks a change touches, and their jobs")
    stacks.add_argument("base", nargs="?", help="what the change is to; without it every stack")
    stacks.add_argument("head", nargs="?", default="HEAD", help="the change (HEAD)")
    stacks.add_argument("--root", type=Path, default=Path(), help="the checkout (.)")
    stacks.set_defaults(run=_stacks)
    failed = page(commands, "failed", "write the comment of a preview that failed")
    for name in ("project", "stack", "source"):
        failed.add_argument(f"--{name}", required=True)
    failed.add_argument("--preview", type=Path, required=True, help="as far as there is one")
    failed.add_argument("--log", type=Path, required=True, help="what was said beside it")
    add_output(failed, json=False)
    failed.set_defaults(run=_failed)
    approval = page(commands, "approval", "write the digest of a preview, for an approval")
    add_preview(approval)
    approval.set_defaults(run=_approval)
    changed = page(commands, "changed", "tell which of the previewed stacks have changes")
    changed.add_argument("folder", type=Path, help="holds plan-STACK/approval of each")
    changed.add_argument("jobs", type=_jobs, help="the matrix of the previews, as JSON")
    changed.set_defaults(run=_changed)
    post = page(commands, "post", "post the comments of a run that has ended")
    post.set_defaults(run=_post)


def _jobs(text: str) -> list[dict[str, str]]:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON ({error.msg})") from None


def _stacks(arguments: argparse.Namespace) -> int:
    files = touched.stack_files(arguments.root)
    there = list(files)
    if arguments.base:
        paths = touched.changed_paths(arguments.root, arguments.base, arguments.head)
        there = touched.touched(paths, files)
        for gone in touched.removed(paths, files):
            # A line that GitHub shows beside the run; outputs go to standard output.
            print(
                f"::warning::The file of stack {gone} goes and its resources stay: "
                f"`pulumi destroy -s {gone}` before this is merged.",
                file=sys.stderr,
            )
    origin = sources.Origin(
        repository=os.environ.get("GITHUB_REPOSITORY", ""),
        head_repository=os.environ.get("HEAD_REPOSITORY"),
        author_type=os.environ.get("AUTHOR_TYPE", ""),
    )
    by_stack = sources.roles(os.environ.get("AWS_PREVIEW_ROLES", ""))
    for name, jobs in sources.matrices(there, files, by_stack, origin).items():
        print(f"{name}={json.dumps(jobs)}")
    return 0


def _failed(arguments: argparse.Namespace) -> int:
    text = failure(
        project=arguments.project,
        stack=arguments.stack,
        source=arguments.source,
        preview=arguments.preview,
        log=arguments.log,
    )
    print(text, end="")
    return 0


def _approval(arguments: argparse.Namespace) -> int:
    # pydantic is not there where `stacks`, `changed` and `post` run.
    from frugal_eks.plans.previews import Preview  # noqa: PLC0415
    from frugal_eks.plans.pull_requests import approval  # noqa: PLC0415

    print(approval.digest(Preview.read(arguments.preview)))
    return 0


def _changed(arguments: argparse.Namespace) -> int:
    print(f"up={json.dumps(plans.changed(arguments.folder, arguments.jobs))}")
    return 0


def _post(_: argparse.Namespace) -> int:
    try:
        run = comments.Run(
            repository=os.environ["GITHUB_REPOSITORY"],
            id=os.environ["RUN_ID"],
            succeeded=os.environ["RUN_CONCLUSION"] == "success",
            head_sha=os.environ["HEAD_SHA"],
            head_branch=os.environ["HEAD_BRANCH"],
            head_owner=os.environ["HEAD_OWNER"],
            head_repository=os.environ["HEAD_REPOSITORY"],
        )
    except KeyError as missing:
        raise PullRequestError(
            f"{missing} is not set: `post` runs in .github/workflows/comment.yml"
        ) from None
    for line in comments.post(run):
        print(line)
    return 0
