"""Finds installed tools of the user that need not be built."""

import re
import shutil
import subprocess
from pathlib import Path

from rehearsal.toolchain.families import PULUMI

ON_PATH = ("pulumi", "pulumi-language-python")
EXECUTOR = "pulumi-language-python-exec"
"""Program beside the language host, which the host runs."""


def pulumi_on_path() -> dict[str, Path]:
    """The user's own `pulumi` with its Python language host, or nothing.

    Both or none: the host asks the CLI's own version of the engine. Older than what was tried
    with this project is as good as none.
    """
    cli = shutil.which(ON_PATH[0])
    if not cli or _version(cli) < _parse(PULUMI):
        return {}
    host = shutil.which(ON_PATH[1])
    if not host or not Path(host).resolve().with_name(EXECUTOR).exists():
        return {}
    return dict(zip(ON_PATH, (Path(cli), Path(host)), strict=True))


def _version(cli: str) -> tuple[int, ...]:
    try:
        result = subprocess.run(
            [cli, "version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return _parse(result.stdout)


def _parse(text: str) -> tuple[int, ...]:
    """Version as numbers: `v3.259.0` is (3, 259, 0); () if it is not a version."""
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", text.strip())
    return tuple(int(part) for part in match.groups()) if match else ()
