"""What the workflows in .github do with pull requests; docs/pull-requests.md tells the whole.

python -m pull_requests stacks BASE HEAD       which stacks a change touches, and where each is
                                               previewed
python -m pull_requests failed --stack NAME …  the comment of a preview that failed
python -m pull_requests approval FILE          the digest of a preview, for an approval
python -m pull_requests changed FOLDER JOBS    which of the previewed stacks have changes
python -m pull_requests post                   posts a finished run's comments

`stacks` and `post` take what GitHub knows from the environment and need nothing but Python and, for
`post`, the `gh` command.

Exit code: 0 done, 1 it cannot be done, 2 wrong usage.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from pull_requests import comments, plans, sources, touched
from pull_requests.errors import PullRequestError
from pull_requests.failures import failure

FAILED = 1


def main(arguments: list[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(
        prog="python -m pull_requests",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_stacks(commands.add_parser("stacks", help="which stacks a change touches"))
    _add_failed(commands.add_parser("failed", help="the comment of a preview that failed"))
    approval = commands.add_parser("approval", help="the digest of a preview, for an approval")
    approval.add_argument("file", type=Path, help="of `pulumi preview --json --show-sames`")
    approval.set_defaults(command=_approval)
    changed = commands.add_parser("changed", help="which of the previewed stacks have changes")
    changed.add_argument("folder", type=Path, help="holds plan-STACK/approval of each")
    changed.add_argument("jobs", type=_jobs, help="the matrix of the previews, as JSON")
    changed.set_defaults(command=_changed)
    post = commands.add_parser("post", help="posts a finished run's comments")
    post.set_defaults(command=_post)
    chosen = parser.parse_args(arguments)
    try:
        chosen.command(chosen)
    except PullRequestError as error:
        print(error, file=sys.stderr)
        return FAILED
    return 0


def _add_stacks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("base", nargs="?", help="what the change is to; without it every stack")
    parser.add_argument("head", nargs="?", default="HEAD", help="the change (HEAD)")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (.)")
    parser.set_defaults(command=_stacks)


def _add_failed(parser: argparse.ArgumentParser) -> None:
    for name in ("project", "stack", "source"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--preview", type=Path, required=True, help="as far as there is one")
    parser.add_argument("--log", type=Path, required=True, help="what was said beside it")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.set_defaults(command=_failed)


def _jobs(text: str) -> list[dict[str, str]]:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON ({error.msg})") from None


def _stacks(chosen: argparse.Namespace) -> None:
    files = touched.stack_files(chosen.root)
    there = list(files)
    if chosen.base:
        paths = touched.changed_paths(chosen.root, chosen.base, chosen.head)
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


def _failed(chosen: argparse.Namespace) -> None:
    text = failure(
        project=chosen.project,
        stack=chosen.stack,
        source=chosen.source,
        preview=chosen.preview,
        log=chosen.log,
    )
    chosen.output.write_text(text, encoding="utf-8")


def _approval(chosen: argparse.Namespace) -> None:
    # pydantic is not there where `stacks` and `post` run.
    from previews import Preview, PreviewError  # noqa: PLC0415
    from pull_requests import approval  # noqa: PLC0415

    try:
        print(approval.digest(Preview.read(chosen.file)))
    except PreviewError as error:
        raise PullRequestError(str(error)) from None


def _changed(chosen: argparse.Namespace) -> None:
    print(f"up={json.dumps(plans.changed(chosen.folder, chosen.jobs))}")


def _post(_: argparse.Namespace) -> None:
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


if __name__ == "__main__":
    sys.exit(main())
