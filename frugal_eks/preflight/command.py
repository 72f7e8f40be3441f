"""Tells in under a minute what would stop `pulumi up` of a stack file on this account.

  frugal-eks preflight nodeless
      stacks/Pulumi.nodeless.yaml, or another stack file, before its first `up`
  frugal-eks preflight nodeless --update
      the stack is up already: what it has is its own

Only reads: quotas, zones, images, hosted zones, roles, names that are taken, what an earlier
cluster left, and what this machine has and reaches. docs/preflight.md has the rights it needs and
each line with its remedy. The exit code is 1 if something would stop `up`.
"""

import argparse
from typing import TYPE_CHECKING

from frugal_eks.arguments import STACK, add_output
from frugal_eks.errors import CommandError
from frugal_eks.inputs import stack_file
from frugal_eks.output import console, print_json

if TYPE_CHECKING:
    from frugal_eks.preflight.machine import Machine

FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the stack and its options."""
    parser.add_argument("stack", metavar="STACK", help=f"{STACK}; - is standard input")
    parser.add_argument(
        "--update",
        action="store_true",
        help="the stack is up: leave out what only a first `up` meets",
    )
    add_output(parser)


def run(arguments: argparse.Namespace, machine: "Machine | None" = None) -> int:
    """Prints the findings; returns 1 if something would stop `up`. Raises CommandError. `machine`
    replaces this one in tests.
    """
    # Pulumi's providers and boto3 take two seconds, and --help needs none of them.
    from frugal_eks.preflight import report  # noqa: PLC0415
    from frugal_eks.preflight.account import NotReadError  # noqa: PLC0415
    from frugal_eks.preflight.findings import Result  # noqa: PLC0415
    from frugal_eks.preflight.from_stack import findings_of  # noqa: PLC0415
    from frugal_eks.preflight.machine import Machine  # noqa: PLC0415

    file = stack_file(arguments.stack)
    try:
        findings, about = findings_of(file, update=arguments.update, machine=machine or Machine())
    except NotReadError as error:
        raise CommandError(
            f"AWS does not answer: {error}. Give credentials (AWS_PROFILE, or `aws sso login`) and "
            "the right aws:region"
        ) from None
    if arguments.json:
        print_json(report.as_json(findings, about))
    else:
        terminal = console()
        terminal.print(report.table(findings))
        where = f"of {about['stack']} in account {about['account']}, {about['region']},"
        terminal.print(
            report.summary(findings, where), highlight=False, markup=False, soft_wrap=True
        )
    return FAILED if any(finding.result is Result.FAILS for finding in findings) else 0
