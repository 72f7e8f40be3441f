"""What a stack costs a month, by component, and what a change adds.

  python -m cost nodeless                 of stacks/Pulumi.nodeless.yaml; no AWS, no engine
  python -m cost nodeless --stack-file F  of another file that stands for it
  python -m cost --preview FILE           before and after, of `pulumi preview --json --show-sames`;
                                          - is standard input, and the program may be any
  python -m cost refresh --region R       fetches a region's prices from AWS
                                          (python -m cost refresh --help)

Three figures: at least, expected, at most. The least is what runs without any load, the most what
limits and sizes allow at prices on demand; a pool without limits has no most. Prices that are not
known are named and in no sum. docs/cost.md tells how each thing is reckoned.

Exit code: 0 told, 1 could not be told, 2 wrong usage, 130 Ctrl-C.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from cost.assumptions import Assumptions
from cost.compare import Comparison, compare
from cost.errors import CostError
from cost.estimate import Estimate, estimate
from cost.markdown import comparison_markdown, estimate_markdown
from cost.prices import FOLDER
from cost.report import (
    as_json,
    comparison_json,
    estimate_json,
    show_comparison,
    show_estimate,
)
from previews import Preview, PreviewError

FAILED, INTERRUPTED = 1, 130
WIDTH_WITHOUT_TERMINAL = 160
"""At most: a log is read by people."""
ALL = 1_000_000
"""Characters: as Markdown without a comment's limit."""


def main(arguments: Sequence[str] | None = None) -> int:
    """See above."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["refresh"]:
        from cost import refresh  # noqa: PLC0415 (boto3, which nothing else here needs)

        return refresh.main(given[1:])
    parser = _parser()
    asked = parser.parse_args(given)
    if (asked.stack is None) == (asked.preview is None):
        parser.error("name a stack, or give --preview FILE")
    if asked.stack_file and asked.stack is None:
        parser.error("--stack-file goes with a stack's name")
    try:
        told = _told(asked)
    except (CostError, PreviewError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    _write(told, asked)
    return 0


def _told(asked: argparse.Namespace) -> Estimate | Comparison:
    assumed = Assumptions(nat_gb=asked.nat_gb, log_gb=asked.log_gb, efs_gb=asked.efs_gb)
    if asked.preview:
        return compare(_preview(asked.preview), assumed, asked.prices, asked.region)
    # Pulumi's providers take two seconds, and a preview needs none of them.
    from cost.stacks import read_stack  # noqa: PLC0415

    stack = read_stack(asked.stack, asked.stack_file)
    return estimate(stack.resources, asked.region or stack.region, assumed, asked.prices)


def _preview(file: str) -> Preview:
    if file != "-":
        return Preview.read(Path(file))
    try:
        return Preview.parse(sys.stdin.buffer.read().decode())
    except UnicodeDecodeError:
        raise PreviewError("standard input: is no text in UTF-8") from None


def _write(told: Estimate | Comparison, asked: argparse.Namespace) -> None:
    is_change = isinstance(told, Comparison)
    if asked.json:
        print(as_json(comparison_json(told) if is_change else estimate_json(told)))
    elif asked.markdown:
        text = comparison_markdown(told, ALL) if is_change else estimate_markdown(told)
        print(text, end="")
    else:
        console = Console()
        if not console.is_terminal:
            console = Console(width=WIDTH_WITHOUT_TERMINAL)
        if is_change:
            show_comparison(told, console, details=asked.details)
        else:
            show_estimate(told, console, details=asked.details)


def _gb(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of GB")
    return found


def _parser() -> argparse.ArgumentParser:
    usual = Assumptions()
    parser = argparse.ArgumentParser(
        prog="python -m cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stack", nargs="?", metavar="STACK", help="a stack of stacks/")
    parser.add_argument("--stack-file", type=Path, metavar="FILE", help="instead of the stack's")
    parser.add_argument(
        "--preview", metavar="FILE", help="a preview as JSON; - reads it from stdin"
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
    parser.add_argument("--details", action="store_true", help="a line for each thing too")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument("--markdown", action="store_true", help="for a comment")
    parser.add_argument(
        "--prices", type=Path, default=FOLDER, metavar="FOLDER", help="other price lists"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
