"""Arguments and help pages that several commands share."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

EXIT_CODES = (
    "Exit codes: 0 all is well, 1 the command has found something wrong, 2 an input cannot be\n"
    "read or the command is wrongly used, 130 Ctrl-C."
)


def page(
    commands: "_SubParsersAction[argparse.ArgumentParser]", name: str, line: str
) -> argparse.ArgumentParser:
    """Adds the parser of a command, whose help page names the exit codes; `line` is its row in the
    list.
    """
    return commands.add_parser(
        name,
        help=line,
        description=f"{line[0].upper()}{line[1:]}.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_output(parser: argparse.ArgumentParser, *, json: bool = True) -> None:
    """Adds -o, and --json if programs may read the result."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the result to a file, whole or not at all (default: standard output)",
    )
    if json:
        parser.add_argument("--json", action="store_true", help="write the result as JSON")


def add_preview(parser: argparse.ArgumentParser) -> None:
    """Adds the preview that a command reads."""
    parser.add_argument(
        "preview",
        metavar="PREVIEW",
        help="what `pulumi preview --json --show-sames` printed; - is standard input",
    )


STACK = "a stack of stacks/, or a stack file"


def cluster_name(text: str) -> str:
    """Checks an argument that is the name of an EKS cluster."""
    if not re.fullmatch(r"[0-9A-Za-z][\w-]{0,99}", text, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name of an EKS cluster: letters, digits, - and _, at most 100"
        )
    return text
