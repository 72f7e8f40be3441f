"""Writes the JSON schema of stack files, by which an editor completes and checks their keys.

`make pages` writes stacks/stack.schema.json by it.
"""

import argparse

from frugal_eks.arguments import add_output
from stack_config.schema import file_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the output file."""
    add_output(parser, json=False)


def run(_: argparse.Namespace) -> int:
    """Prints the schema and returns 0."""
    print(file_text(), end="")
    return 0
