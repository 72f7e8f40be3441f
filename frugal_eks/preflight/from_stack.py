"""Produces the findings of a stack file."""

from collections.abc import Sequence
from typing import Any, cast

import yaml
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from frugal_eks.inputs import StackFile, config_of
from frugal_eks.preflight.account import Account, NotReadError, use_credentials
from frugal_eks.preflight.checks import CHECKS
from frugal_eks.preflight.findings import Finding
from frugal_eks.preflight.machine import Machine
from frugal_eks.preflight.running import run
from frugal_eks.preflight.situation import Situation
from frugal_eks.preflight.stack import read

SHOWN = 3
"""Number of names that are shown; others are only counted."""


def findings_of(
    file: StackFile, *, update: bool, machine: Machine
) -> tuple[list[Finding], dict[str, str]]:
    """The findings, and the names of stack, account, region and cluster.
    Raises CommandError if the file cannot be used, NotReadError if AWS does not answer.
    """
    config = config_of(file)
    with Console(stderr=True).status(f"reading {escape(file.file)}") as status:
        document = cast(dict[str, Any], yaml.safe_load(file.text))
        use_credentials(document["config"])
        account = Account(config.region)
        try:
            about = {"stack": file.stack, "account": account.id, "region": config.region}
        except (BotoCoreError, ClientError) as error:
            raise NotReadError(str(error)) from error
        situation = Situation(
            stack=read(file, config, account),
            account=account,
            machine=machine,
            update=update,
        )
        findings = run(CHECKS, situation, _Progress(status))
    findings = [*situation.stack.findings, *findings]
    return findings, about | {"cluster": config.cluster_name}


class _Progress:
    """Shows open checks: a moving line in a terminal, nothing elsewhere."""

    def __init__(self, status: Status) -> None:
        self.status = status

    def __call__(self, open_checks: Sequence[str]) -> None:
        shown = ", ".join(open_checks[:SHOWN])
        more = len(open_checks) - SHOWN
        self.status.update(f"looking at {shown}" + (f" and {more} more" if more > 0 else ""))
