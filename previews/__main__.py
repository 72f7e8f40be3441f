"""Draws the components of a program and what waits for what, from a preview of it.

  pulumi preview --json --show-sames > preview.json     of any program, or
  python -m rehearsal preview --json preview.json       of a stack of this one, without AWS
  python -m previews picture preview.json picture.svg

The same preview gives the same file.
Exit code: 0 drawn, 1 it cannot be, 2 wrong usage.
"""

import argparse
import sys
from pathlib import Path

from previews import Preview, PreviewError
from previews.picture import PictureError, graph, svg


def main(arguments: list[str] | None = None) -> int:
    """Run one command; what went wrong is one sentence on standard error."""
    parser = argparse.ArgumentParser(
        prog="python -m previews",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    picture = commands.add_parser("picture", help="draw a preview as SVG")
    picture.add_argument("preview", type=Path, help="what `pulumi preview --json` printed")
    picture.add_argument("file", type=Path, help="where the SVG goes")
    chosen = parser.parse_args(arguments)
    try:
        _draw(chosen.preview, chosen.file)
    except PreviewError as error:
        print(error, file=sys.stderr)
    except PictureError as error:
        print(f"{chosen.preview}: {error}", file=sys.stderr)
    except OSError as error:
        print(f"{chosen.file}: cannot be written: {error.strerror}", file=sys.stderr)
    else:
        return 0
    return 1


def _draw(preview: Path, file: Path) -> None:
    drawn = svg(graph(Preview.read(preview)))
    # In one step: nobody finds half of it.
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(drawn, encoding="utf-8")
    partial.replace(file)


if __name__ == "__main__":
    sys.exit(main())
