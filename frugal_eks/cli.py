"""The command line `frugal-eks`: one parser, which loads the module of the called command alone.

Only the standard library is imported here: a workflow calls `pull-request` before anything is
installed.
"""

import argparse
import os
import sys
import tomllib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from frugal_eks.arguments import page
from frugal_eks.errors import INTERRUPTED, CommandError
from frugal_eks.output import written_to

BROKEN_PIPE = 141
"""Exit code after SIGPIPE, as shells count."""


class Command(NamedTuple):
    """One row of `frugal-eks --help`."""

    name: str
    module: str
    """Module with the functions of Module; its docstring is the command's help page."""
    line: str


class Module(Protocol):
    """The functions that a command's module defines."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments to its parser."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Runs the command and returns its exit code. Raises CommandError."""
        ...


_PLANS = "frugal_eks.plans"
COMMANDS = (
    Command("check", "frugal_eks.check", "find all mistakes in stack files"),
    Command("explain", "frugal_eks.explain", "show what a stack file may say at a path"),
    Command("schema", "frugal_eks.schema", "write the JSON schema of stack files, for editors"),
    Command("cost", f"{_PLANS}.cost.command", "reckon what a stack or a change costs a month"),
    Command("prices", f"{_PLANS}.cost.refresh", "fetch the price lists that `cost` reads from AWS"),
    Command("review", f"{_PLANS}.review.command", "write the review comment of a preview"),
    Command("policy", f"{_PLANS}.policy.command", "hold a preview to the policy pack's rules"),
    Command("picture", f"{_PLANS}.previews.picture.command", "draw the components of a preview"),
    Command(
        "migrate", "frugal_eks.migrate.command", "make a stack file of eksctl's or Karpenter's"
    ),
    Command("preflight", "frugal_eks.preflight.command", "find what would stop `pulumi up` on AWS"),
    Command("images", "frugal_eks.preflight.images", "list the node images that can be pinned"),
    Command("sweep", "frugal_eks.sweep.command", "remove what a destroyed cluster left in AWS"),
    Command("rehearse", "frugal_eks.rehearse", "try a stack on this machine, without AWS"),
    Command("pull-request", f"{_PLANS}.pull_requests.command", "serve the workflows in .github"),
)


def main(argv: Sequence[str] | None = None, **stand_ins: object) -> int:
    """Runs one command and returns its exit code. Tests pass `stand_ins` to the command's `run`."""
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = parser(words).parse_args(words)
    try:
        with written_to(arguments.output):
            code: int = arguments.run(arguments, **stand_ins)
        sys.stdout.flush()
    except CommandError as error:
        print(error, file=sys.stderr)
        return error.code
    except BrokenPipeError:
        # The reader has seen enough; Python would complain again when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt as interrupt:
        print("Interrupted.", *interrupt.args, file=sys.stderr)
        return INTERRUPTED
    return code


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Parser of all commands, with the arguments of the command that `words` call."""
    made = argparse.ArgumentParser(
        prog="frugal-eks",
        description="Commands for a stack of frugal-eks, beside `pulumi up`.",
        epilog="`frugal-eks COMMAND --help` describes a command.",
    )
    made.add_argument("--version", action="version", version=_version())
    made.set_defaults(output=None)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for name, path, line in COMMANDS:
        command = page(commands, name, line)
        if words[:1] == [name]:
            module = import_module(path)
            command.description = module.__doc__
            command.set_defaults(run=getattr(module, "run", None))
            cast(Module, module).add_arguments(command)
    return made


def _version() -> str:
    project = Path(__file__).parents[1] / "pyproject.toml"
    return f"frugal-eks {tomllib.loads(project.read_text())['project']['version']}"
