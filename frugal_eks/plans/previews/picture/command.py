"""Draws the components of a program and what waits for what, from a preview of it, as SVG.

  pulumi preview --json --show-sames | frugal-eks picture - -o picture.svg
      of any program
  frugal-eks rehearse preview --json -o preview.json
      makes the preview of a stack of this one, without AWS

The same preview gives the same file.
"""

import argparse

from frugal_eks.arguments import add_output, add_preview
from frugal_eks.errors import CommandError
from frugal_eks.plans.previews import Preview
from frugal_eks.plans.previews.picture import PictureError, graph, svg


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preview and the output file."""
    add_preview(parser)
    add_output(parser, json=False)


def run(arguments: argparse.Namespace) -> int:
    """0; raises CommandError if there is nothing to draw."""
    try:
        print(svg(graph(Preview.read(arguments.preview))), end="")
    except PictureError as error:
        raise CommandError(f"{arguments.preview}: {error}") from None
    return 0
