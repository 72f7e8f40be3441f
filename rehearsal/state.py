"""The state folder of one rehearsal, which holds everything that it starts, writes and
remembers.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict, cast

from rehearsal.errors import RehearsalError

ROOT = Path(__file__).resolve().parent.parent
"""The checkout, which `./frugal-eks rehearse…` needs as its import path."""
DEFAULT = ROOT / ".rehearsal"
MARKER = "rehearsal-state"
LOCK = "lock"


class Endpoints(TypedDict):
    """Addresses of a running rehearsal, and the account that it plays."""

    apiServer: str
    """URL of the Kubernetes API server, https."""
    aws: str
    """URL of the played AWS, http."""
    region: str
    account: str


class State:
    """Paths below one state folder. Two rehearsals with two folders share nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        self.logs = self.path / "logs"
        self.records = self.path / "processes"
        """Folder with a file for each started process."""
        self.bin = self.path / "bin"
        self.aws_command = self.bin / "aws"
        """Command that prints tokens of the played AWS for the API server, as `aws eks get-token`
        does.
        """
        self.kubeconfig = self.path / "kubeconfig"
        self.admin_token = self.path / "admin-token"
        self.certificate = self.path / "apiserver.crt"
        self.control_plane = self.path / "control-plane"
        self.charts = self.path / "charts"
        self.karpenter_metrics = self.path / "karpenter-metrics"
        """File with the URL of the running Karpenter's metrics."""
        self._endpoints = self.path / "endpoints.json"

    def create(self) -> None:
        """Creates the folder. Raises RehearsalError if it holds something else already."""
        marker = self.path / MARKER
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not marker.exists():
                if any(entry.name != LOCK for entry in self.path.iterdir()):
                    raise RehearsalError(
                        f"{self.path} holds files that are not a rehearsal's: "
                        "name an empty or a new folder with --state"
                    )
                marker.touch()
            # Tokens and played secrets lie below: they are nobody else's.
            self.path.chmod(0o700)
            for folder in (self.logs, self.records, self.bin, self.control_plane):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RehearsalError(
                f"{self.path} cannot be the state folder ({error.strerror}): "
                "name a folder that you may write with --state"
            ) from None

    def wipe(self) -> None:
        """Empty the folder, so that the next start begins with an empty account and cluster.

        Raises RehearsalError if it is not a rehearsal's. Processes must have ended before.
        """
        if not self.path.exists():
            return
        if not (self.path / MARKER).exists():
            raise RehearsalError(
                f"{self.path} is not the state folder of a rehearsal: nothing is deleted in it"
            )
        for entry in self.path.iterdir():
            if entry.name in {MARKER, LOCK}:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    @contextmanager
    def locked(self) -> Generator[None]:
        """Allows one start or stop at a time in this folder. Raises RehearsalError if one is
        under way.
        """
        with (self.path / LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RehearsalError(
                    f"another command is starting or stopping the rehearsal in {self.path}: "
                    "wait until it is done"
                ) from None
            yield

    @property
    def endpoints(self) -> Endpoints:
        """Addresses of the rehearsal. Raises RehearsalError if none was started here."""
        try:
            return cast(Endpoints, json.loads(self._endpoints.read_text()))
        except FileNotFoundError:
            raise RehearsalError(
                f"no rehearsal was started in {self.path}: `./frugal-eks rehearse start` starts one"
            ) from None

    @property
    def started(self) -> bool:
        """True if a rehearsal came up here and was not stopped since."""
        return self._endpoints.exists()

    def remember(self, endpoints: Endpoints) -> None:
        """Stores the addresses, as the last step of a start."""
        written = self._endpoints.with_suffix(".new")
        written.write_text(json.dumps(endpoints, indent=2) + "\n")
        written.rename(self._endpoints)

    def forget(self) -> None:
        """Removes the addresses, as the first step of a stop."""
        self._endpoints.unlink(missing_ok=True)


def write_private(path: Path, text: str, *, mode: int = 0o600) -> None:
    """Writes a file that only its owner may read, from its first byte on."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
