"""Writes the stack file that does what eksctl's and Karpenter's files of a cluster did.

python -m migrate cluster.yaml provisioner.yaml              to standard output
python -m migrate cluster.yaml --output Pulumi.dev.yaml      to a file that is not there yet
kubectl get provisioners,awsnodetemplates -o yaml | python -m migrate - --cluster dev

It reads a ClusterConfig of eksctl, Provisioner and AWSNodeTemplate, NodePool and EC2NodeClass, and
more (docs/migrate.md), in one file or many. Lines that changed their meaning have a comment; what
has no equivalent is listed, and at the end of the file too. It calls neither AWS nor a cluster.

Exit code: 0 written, 1 with --strict: written, and something is left or to be corrected, 2 wrong
usage or an input that cannot be read: then nothing is written.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from components.section import Mistake
from migrate import report, stack_file
from migrate.conversion import Migration, convert
from migrate.documents import STANDARD_INPUT, InputError, read
from migrate.missing import fill_in
from stack_config import mistakes
from stack_config.load import parsed
from stack_config.model import StackConfig

LEFT, USAGE = 1, 2
WIDTH_WITHOUT_TERMINAL = 200


def _cluster(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z][\w-]{0,99}", text, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name of an EKS cluster: letters, digits, - and _, at most 100"
        )
    return text


def _region(text: str) -> str:
    if not re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no region: write one like eu-west-1")
    return text


def _setting(text: str) -> tuple[str, str]:
    found = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return found[1], found[2]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m migrate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="YAML; - is standard input")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument(
        "--cluster",
        type=_cluster,
        metavar="NAME",
        help="the cluster's name, and what ${CLUSTER_NAME} stands for",
    )
    parser.add_argument(
        "--region",
        type=_region,
        help="the region, and what ${AWS_REGION} and ${AWS_DEFAULT_REGION} stand for",
    )
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what ${NAME} in the files stands for, as the shell knew it; again for each",
    )
    parser.add_argument("--strict", action="store_true", help="exit code 1 if anything is left")
    return parser


def _placeholders(asked: argparse.Namespace) -> dict[str, str]:
    values: dict[str, str] = {}
    if asked.cluster:
        values["CLUSTER_NAME"] = asked.cluster
    if asked.region:
        values["AWS_REGION"] = values["AWS_DEFAULT_REGION"] = asked.region
    settings: list[tuple[str, str]] = asked.set
    return values | dict(settings)


def _wrong(migration: Migration) -> Sequence[Mistake]:
    """What `pulumi up` would not accept of the result."""
    found = parsed(migration.values)
    return [] if isinstance(found, StackConfig) else found


def _write(text: str, output: Path | None, *, force: bool) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        with output.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        problem = f"{output}: is there already: choose another --output, or add --force"
        raise InputError(problem) from error
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from error


def _report(migration: Migration, wrong: Sequence[Mistake], output: Path | None) -> None:
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=WIDTH_WITHOUT_TERMINAL)
    if migration.left:
        console.print(report.table(migration.left))
    if wrong:
        console.print("The stack file is to be corrected:")
        for mistake in wrong:
            console.print(escape(mistakes.line(mistake)), highlight=False, soft_wrap=True)
    if output:
        said = f"Written: {output}. Look through its comments before `pulumi up`."
        console.print(escape(said), highlight=False, soft_wrap=True)


def main(argv: list[str] | None = None) -> int:
    """0 if a stack file was written; see the module's text for the others."""
    parser = _parser()
    asked = parser.parse_args(argv)
    if asked.files.count(STANDARD_INPUT) > 1:
        parser.error("standard input can be read once: give - once")
    try:
        documents = read(asked.files, _placeholders(asked))
        migration = convert(documents, cluster=asked.cluster, region=asked.region)
        if not migration.values:
            raise InputError(f"{documents[0].where}: nothing of it goes into a stack file")
        fill_in(migration, cluster=asked.cluster, region=asked.region)
        wrong = _wrong(migration)
        end = list(report.comments(migration.left, wrong))
        _write(
            stack_file.text(migration.values, migration.comments, end),
            asked.output,
            force=asked.force,
        )
    except InputError as error:
        print(error, file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # The reader has seen enough; Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    _report(migration, wrong, asked.output)
    return LEFT if asked.strict and (migration.left or wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
