"""Checks programs that `up` calls."""

import re
import subprocess
from collections.abc import Iterator

from frugal_eks.preflight.findings import Finding, fails, ok, unknown
from frugal_eks.preflight.situation import Situation

OLDEST = {1: (1, 24, 0), 2: (2, 7, 0)}
"""Oldest version that component eks.Cluster accepts, by major version (pulumi-eks,
nodejs/eks/dependencies.ts).
"""
INSTALL = "https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"


def aws_cli(situation: Situation) -> Iterator[Finding]:
    """Checks the AWS CLI, which signs the tokens for the cluster."""
    program = situation.machine.program("aws")
    if program is None:
        yield fails("aws CLI", "`aws` is not on PATH", f"install it: {INSTALL}")
        return
    try:
        output = situation.machine.output(program, "--version")
    except (OSError, subprocess.SubprocessError) as error:
        yield fails("aws CLI", f"{program} --version: {error}", f"install it anew: {INSTALL}")
        return
    match = re.match(r"aws-cli/(\d+)\.(\d+)\.(\d+)", output)
    if match is None:
        yield unknown("aws CLI", f"{program} --version says {output.strip()!r}", f"see {INSTALL}")
        return
    version = tuple(map(int, match.groups()))
    oldest = OLDEST.get(version[0], OLDEST[2])
    if version < oldest:
        needed = ".".join(map(str, oldest))
        yield fails("aws CLI", f"{match[0]} is older than {needed}", f"update it: {INSTALL}")
    else:
        yield ok("aws CLI", match[0])
