"""Reckons what a stack costs a month, by component, and what a change adds.

  frugal-eks cost nodeless
      of stacks/Pulumi.nodeless.yaml, or of another stack file; no AWS, no engine
  frugal-eks cost --preview PREVIEW
      before and after, of `pulumi preview --json --show-sames` of any program

Three figures: at least, expected, at most. The least is what runs without any load, the most what
limits and sizes allow at prices on demand; a pool without limits has no most. Prices that are not
known are named and in no sum. docs/cost.md tells how each thing is reckoned.
"""

import argparse
import math
from pathlib import Path

from frugal_eks.arguments import STACK, add_output
from frugal_eks.errors import CommandError
from frugal_eks.inputs import stack_file
from frugal_eks.output import console, print_json
from frugal_eks.plans.cost.assumptions import Assumptions
from frugal_eks.plans.cost.compare import Comparison, compare
from frugal_eks.plans.cost.estimate import Estimate, estimate
from frugal_eks.plans.cost.markdown import comparison_markdown, estimate_markdown
from frugal_eks.plans.cost.prices import FOLDER
from frugal_eks.plans.cost.report import (
    comparison_json,
    estimate_json,
    show_comparison,
    show_estimate,
)
from frugal_eks.plans.previews import Preview

ALL = 1_000_000
"""Characters: more than any result has, so that Markdown is not cut."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds stack or preview, the assumptions, and the form of the result."""
    usual = Assumptions()
    parser.add_argument("stack", nargs="?", metavar="STACK", help=f"{STACK}; - is standard input")
    parser.add_argument(
        "--preview", metavar="PREVIEW", help="a preview as JSON; - is standard input"
    )
    parser.add_argument("--region", help="default: the stack's aws:region")
    parser.add_argument(
        "--nat-gb", type=_gb, default=usual.nat_gb, metavar="GB",
        help=f"a month through NAT (default {usual.nat_gb:g})",
    )  # fmt: skip
    parser.add_argument(
        "--log-gb", type=_gb, default=usual.log_gb, metavar="GB",
        help=f"a month into each log group (default {usual.log_gb:g})",
    )  # fmt: skip
    parser.add_argument(
        "--efs-gb", type=_gb, default=usual.efs_gb, metavar="GB",
        help=f"kept in each EFS file system (default {usual.efs_gb:g})",
    )  # fmt: skip
    parser.add_argument(
        "--prices", type=Path, default=FOLDER, metavar="FOLDER", help="other price lists"
    )
    parser.add_argument("--details", action="store_true", help="a line for each thing too")
    parser.add_argument("--markdown", action="store_true", help="write the result as Markdown")
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """0; raises CommandError if the cost cannot be reckoned."""
    if (arguments.stack is None) == (arguments.preview is None):
        raise CommandError("name a stack, or give --preview PREVIEW")
    if arguments.json and arguments.markdown:
        raise CommandError("--json and --markdown exclude each other")
    result = _reckoned(arguments)
    is_change = isinstance(result, Comparison)
    if arguments.json:
        print_json(comparison_json(result) if is_change else estimate_json(result))
    elif arguments.markdown:
        text = comparison_markdown(result, ALL) if is_change else estimate_markdown(result)
        print(text, end="")
    elif is_change:
        show_comparison(result, console(), details=arguments.details)
    else:
        show_estimate(result, console(), details=arguments.details)
    return 0


def _reckoned(arguments: argparse.Namespace) -> Estimate | Comparison:
    assumed = Assumptions(nat_gb=arguments.nat_gb, log_gb=arguments.log_gb, efs_gb=arguments.efs_gb)
    if arguments.preview:
        preview = Preview.read(arguments.preview)
        return compare(preview, assumed, arguments.prices, arguments.region)
    # Pulumi's providers take two seconds, and a preview needs none of them.
    from frugal_eks.plans.cost.stacks import read_stack  # noqa: PLC0415

    stack = read_stack(stack_file(arguments.stack))
    region = arguments.region or stack.region
    return estimate(stack.resources, region, assumed, arguments.prices)


def _gb(text: str) -> float:
    try:
        gb = float(text)
    except ValueError:
        gb = -1.0
    if not 0 <= gb < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of GB")
    return gb
