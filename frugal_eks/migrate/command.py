"""Writes the stack file that does what eksctl's and Karpenter's files of a cluster did.

  frugal-eks migrate cluster.yaml provisioner.yaml
      to standard output
  frugal-eks migrate cluster.yaml -o Pulumi.dev.yaml
      to a file that is not there yet
  kubectl get provisioners,awsnodetemplates -o yaml | frugal-eks migrate - --cluster dev

It reads a ClusterConfig of eksctl, Provisioner and AWSNodeTemplate, NodePool and EC2NodeClass, and
more (docs/migrate.md), in one file or many. Lines that changed their meaning have a comment; what
has no equivalent is listed, and at the end of the file too. It calls neither AWS nor a cluster.
With --strict the exit code is 1 if something has no equivalent or is to be corrected.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from components.section import Mistake
from frugal_eks.arguments import add_output, cluster_name
from frugal_eks.errors import CommandError
from frugal_eks.inputs import STANDARD_INPUT
from frugal_eks.migrate import report, stack_file
from frugal_eks.migrate.conversion import Migration, convert
from frugal_eks.migrate.documents import read
from frugal_eks.migrate.missing import fill_in
from frugal_eks.output import console, print_json
from stack_config import mistakes
from stack_config.model import StackConfig
from stack_config.settings import parsed

LEFT = 1


def _region(text: str) -> str:
    if not re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no region: write one like eu-west-1")
    return text


def _setting(text: str) -> tuple[str, str]:
    match = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return match[1], match[2]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the files, and the values of their placeholders."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="YAML; - is standard input")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument(
        "--cluster",
        type=cluster_name,
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
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the stack file; with --strict returns 1 if something is left or must be corrected.
    Raises CommandError.
    """
    output: Path | None = arguments.output
    if arguments.files.count(STANDARD_INPUT) > 1:
        raise CommandError("standard input can be read once: give - once")
    if output and output.exists() and not arguments.force:
        raise CommandError(f"{output}: is there already: choose another --output, or add --force")
    documents = read(arguments.files, _placeholders(arguments))
    migration = convert(documents, cluster=arguments.cluster, region=arguments.region)
    if not migration.values:
        raise CommandError(f"{documents[0].where}: nothing of it goes into a stack file")
    fill_in(migration, cluster=arguments.cluster, region=arguments.region)
    wrong = _wrong(migration)
    end = list(report.comments(migration.left, wrong))
    text = stack_file.text(migration.values, migration.comments, end)
    if arguments.json:
        print_json(report.as_json(text, migration.left, wrong))
    else:
        print(text, end="", flush=True)
        _report(migration, wrong)
    return LEFT if arguments.strict and (migration.left or wrong) else 0


def _placeholders(arguments: argparse.Namespace) -> dict[str, str]:
    values: dict[str, str] = {}
    if arguments.cluster:
        values["CLUSTER_NAME"] = arguments.cluster
    if arguments.region:
        values["AWS_REGION"] = values["AWS_DEFAULT_REGION"] = arguments.region
    settings: list[tuple[str, str]] = arguments.set
    return values | dict(settings)


def _wrong(migration: Migration) -> Sequence[Mistake]:
    """Mistakes in the result that `pulumi up` would refuse."""
    config = parsed(migration.values)
    return [] if isinstance(config, StackConfig) else config


def _report(migration: Migration, wrong: Sequence[Mistake]) -> None:
    terminal = console(stderr=True)
    if migration.left:
        terminal.print(report.table(migration.left))
    if wrong:
        terminal.print("The stack file is to be corrected:")
        for mistake in wrong:
            terminal.print(escape(mistakes.line(mistake)), highlight=False, soft_wrap=True)
