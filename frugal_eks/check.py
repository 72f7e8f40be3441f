"""Finds all mistakes of stack files at once, without AWS and without Pulumi.

frugal-eks check nodeless
    stacks/Pulumi.nodeless.yaml
frugal-eks check Pulumi.dev.yaml Pulumi.prod.yaml
    files, each line of a mistake with its number
frugal-eks check - < Pulumi.dev.yaml
    standard input
"""

import argparse

from frugal_eks.arguments import STACK, add_output
from frugal_eks.inputs import StackFile, stack_file
from frugal_eks.output import print_json
from stack_config.check import problems, report

BAD = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the stack files."""
    parser.add_argument("stack", nargs="+", metavar="STACK", help=f"{STACK}; - is standard input")
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Checks the files; returns 1 if one has a mistake."""
    given: list[str] = arguments.stack
    files = [stack_file(each) for each in given]
    if arguments.json:
        results = [_as_json(each) for each in files]
        print_json(results)
        return BAD if any(each["mistakes"] for each in results) else 0
    reports = [list(report(each.file, each.text)) for each in files]
    print("\n".join(line for lines in reports for line in lines))
    return BAD if any(len(lines) > 1 for lines in reports) else 0


def _as_json(read: StackFile) -> dict[str, object]:
    mistakes = [{"line": each.line, "mistake": each.words} for each in problems(read.text)]
    return {"file": read.file, "mistakes": mistakes}
