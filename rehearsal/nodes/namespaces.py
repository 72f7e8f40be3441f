"""A file system of its own for a program that insists on files at fixed places: Linux only."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

SECRETS = "/var/run/secrets"
"""Folder in which pods find their tokens."""
TRIAL_SECONDS = 10.0


@cache
def missing() -> str | None:
    """Why there is no such file system on this machine, in a few words; None if there is.

    It is tried, since what forbids it is hard to know: containers without CAP_SYS_ADMIN, AppArmor
    (kernel.apparmor_restrict_unprivileged_userns on Ubuntu), user.max_user_namespaces of 0.
    """
    if not shutil.which("unshare"):
        return "no `unshare` on PATH, Linux's own command for namespaces"
    try:
        tried = subprocess.run(
            command({}, ["true"]),
            capture_output=True,
            text=True,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`unshare` does not work: {error}"
    if not tried.returncode:
        return None
    lines = tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"]
    return f"`{' '.join(_unshare())}` is not allowed: {lines[-1]}"


def command(files: Mapping[str, Path], argv: Sequence[str | Path]) -> list[str]:
    """The command line that runs `argv` with copies of `files` below SECRETS, by their paths there.

    It becomes the program: its process id stays, and what it makes is gone with it.
    """
    # The whole of /var/run: only there a folder can be made without being root outside.
    steps = ["mount -t tmpfs -o mode=0755 tmpfs /var/run"]
    sources = {path: f"source{number}" for number, path in enumerate(files)}
    # Opened before, so that files below /var/run can be read too.
    opened = [f'{name}="$(cat {shlex.quote(str(files[path]))})"' for path, name in sources.items()]
    for path, name in sources.items():
        target = Path(SECRETS) / path
        steps += [f"mkdir -p {shlex.quote(str(target.parent))}"]
        steps += [f'printf %s "${name}" > {shlex.quote(str(target))}']
    script = "\n".join(["set -e", *opened, *steps, 'exec "$@"'])
    return [*_unshare(), "sh", "-c", script, "sh", *(str(part) for part in argv)]


def _unshare() -> list[str]:
    """The unshare command. Users other than root become root in a user namespace, only to be
    allowed to mount.
    """
    return ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
