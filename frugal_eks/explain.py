"""Shows what a stack file may say at a path.

frugal-eks explain
    the sections
frugal-eks explain karpenter.nodePools
    the keys of one, each with type, default and reason
"""

import argparse

from frugal_eks.arguments import add_output
from frugal_eks.errors import CommandError
from frugal_eks.output import console, print_json
from stack_config.explain import as_json, show
from stack_config.places import UnknownPathError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the path."""
    parser.add_argument(
        "path", nargs="?", default="", metavar="PATH", help="for example karpenter.nodePools"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Shows the path and returns 0. Raises CommandError for a path that no stack file has."""
    try:
        if arguments.json:
            print_json(as_json(arguments.path))
        else:
            show(arguments.path, console())
    except UnknownPathError as error:
        raise CommandError(str(error)) from None
    return 0
