"""Tells what a stack file may say, and what is wrong with one, without AWS and without Pulumi.

python -m stack_config explain                       the sections
python -m stack_config explain karpenter.nodePools   the keys of one, each with type, default, why
python -m stack_config check stacks/Pulumi.dev.yaml  all mistakes of a file at once
python -m stack_config schema                        writes stacks/stack.schema.json, for editors
python -m stack_config schema --check                writes nothing: 1 if the file is not as it was

Exit code: 0 fine, 1 a mistake in a file, no such path, or a schema that is not up to date, 2 wrong
usage.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stack_config.check import report
from stack_config.places import UnknownPathError
from stack_config.schema import FILE, file_text

BAD = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code."""
    asked = _parser().parse_args(arguments)
    match asked.command:
        case "explain":
            return _explain(asked.path)
        case "check":
            return max([_check(file) for file in asked.file])
        case _:
            return _schema(is_check=asked.check)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stack_config",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    explain = commands.add_parser("explain", help="what may stand at a path")
    explain.add_argument(
        "path", nargs="?", default="", metavar="PATH", help="for example karpenter.nodePools"
    )
    check = commands.add_parser("check", help="all mistakes of stack files")
    check.add_argument("file", nargs="+", type=Path, metavar="FILE")
    schema = commands.add_parser("schema", help=f"writes stacks/{FILE.name}")
    schema.add_argument("--check", action="store_true", help="write nothing; 1 if it would change")
    return parser


def _explain(path: str) -> int:
    # Not at the top: a program that reads stack files needs neither.
    from rich.console import Console  # noqa: PLC0415

    from stack_config.explain import show  # noqa: PLC0415

    try:
        show(path, Console())
    except UnknownPathError as error:
        return _failed(str(error))
    return 0


def _check(file: Path) -> int:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return _failed(f"{file}: there is no such file")
    except UnicodeDecodeError:
        return _failed(f"{file}: is no text in UTF-8")
    except OSError as error:
        return _failed(f"{file}: cannot be read: {error.strerror}")
    lines = list(report(str(file), text))
    print("\n".join(lines), file=sys.stdout if len(lines) == 1 else sys.stderr)
    return BAD if len(lines) > 1 else 0


def _schema(*, is_check: bool) -> int:
    text = file_text()
    if not is_check:
        FILE.write_text(text, encoding="utf-8")
        print(f"Written to stacks/{FILE.name}.")
        return 0
    if FILE.is_file() and FILE.read_text(encoding="utf-8") == text:
        return 0
    return _failed(
        f"stacks/{FILE.name} is not what the sections say: run `python -m stack_config schema`"
    )


def _failed(words: str) -> int:
    print(words, file=sys.stderr)
    return BAD


if __name__ == "__main__":
    sys.exit(main())
