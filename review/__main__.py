"""Writes of a preview the comment that a reviewer of a pull request decides from.

pulumi preview --json --show-sames | python -m review       Markdown to standard output
python -m review preview.json --output comment.md           to a file, whole or not at all
python -m review preview.json --source "the rehearsal"      says where the preview was made

The preview may be of any Pulumi program. On top stands what needs a human: state or traffic that
goes, nodes that are replaced, permissions that widen, a network that opens, protection that is
removed, versions that jump. Then the cost before and after, then every change by component.
Secrets are hidden, and it stays below the 65,536 characters that GitHub takes. The first line,
<!-- frugal-eks review: PROJECT/STACK -->, is there for finding the comment of an earlier run.

Exit code: 0 written, 1 no comment: the preview is cut off, empty, failed, or of another version,
or its cost cannot be reckoned, 2 wrong usage.
"""

import argparse
import os
import sys
from pathlib import Path

from previews import Preview, PreviewError
from review.comment import Costs, comment

FAILED = 1
STANDARD_INPUT = "-"


class ReviewError(Exception):
    """One sentence."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m review",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        default=STANDARD_INPUT,
        metavar="FILE",
        help="what `pulumi preview --json --show-sames` printed; - is standard input (default)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: standard output"
    )
    parser.add_argument(
        "--source", default="", metavar="LABEL", help="where the preview was made, for the reader"
    )
    parser.add_argument(
        "--cost",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="tell the monthly cost before and after (default)",
    )
    parser.add_argument(
        "--region", default="", help="of the prices (default: the preview's aws:region)"
    )
    return parser


def _preview(file: str) -> Preview:
    if file != STANDARD_INPUT:
        return Preview.read(Path(file))
    try:
        return Preview.parse(sys.stdin.buffer.read().decode())
    except UnicodeDecodeError:
        raise PreviewError("standard input: is no text in UTF-8") from None


def _costs(preview: Preview, region: str) -> Costs | None:
    if not any(one.type.startswith("aws:") for one in preview.by_urn.values()):
        return None
    # The price list takes a while to load.
    from cost import CostError, compare  # noqa: PLC0415

    try:
        return compare(preview, region=region)
    except CostError as error:
        raise ReviewError(f"{error}; or leave the cost out with --no-cost") from None


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    # In one step: nobody finds half of it.
    partial = output.with_name(f"{output.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(output)
    except OSError as error:
        raise ReviewError(f"{output}: cannot be written: {error.strerror}") from None


def main(argv: list[str] | None = None) -> int:
    """0 if a comment was written; see the module's text for the others."""
    asked = _parser().parse_args(argv)
    try:
        preview = _preview(asked.file)
        costs = _costs(preview, asked.region) if asked.cost else None
        _write(comment(preview, source=asked.source, costs=costs), asked.output)
    except (PreviewError, ReviewError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except RecursionError:
        print(f"{asked.file}: its values are nested too deeply for a preview", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # The reader has seen enough; Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
