"""Facts about the machine that preflight runs on, and its network."""

import datetime
import os
import shutil
import socket
import ssl
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

WAIT = 5.0
"""Timeout of one connection in seconds."""
WHO_AM_I = "https://checkip.amazonaws.com/"
"""AWS's service that returns the caller's public address."""


@dataclass(frozen=True)
class Machine:
    """This machine. Tests replace it."""

    address_service: str = WHO_AM_I

    def now(self) -> datetime.datetime:
        """Time of this machine's clock."""
        return datetime.datetime.now(datetime.UTC)

    def variable(self, name: str) -> str | None:
        """Value of an environment variable."""
        return os.environ.get(name)

    def program(self, name: str) -> Path | None:
        """Path of a program on PATH; None if absent."""
        path = shutil.which(name)
        return Path(path) if path else None

    def output(self, program: Path, *arguments: str) -> str:
        """Output of a program. Raises OSError or subprocess.SubprocessError."""
        ended = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=20, check=True
        )
        # The AWS CLI of the first generation told its version on the other stream.
        return ended.stdout or ended.stderr

    def public_address(self) -> str | None:
        """Public address of this machine; None if it cannot be determined."""
        try:
            with urllib.request.urlopen(self.address_service, timeout=WAIT) as answer:
                return answer.read(64).decode("ascii").strip()
        except (OSError, ValueError):
            return None

    def reach(self, url: str) -> str:
        """Why an HTTPS endpoint cannot be reached; "" if it answers.
        Any TLS handshake counts as an answer: access rights are another question.
        """
        parts = urlsplit(url)
        # Its certificate is of the cluster's own authority.
        trust = ssl.create_default_context()
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE
        try:
            with (
                socket.create_connection((parts.hostname, parts.port or 443), WAIT) as plain,
                trust.wrap_socket(plain, server_hostname=parts.hostname),
            ):
                return ""
        except OSError as error:
            return str(error) or type(error).__name__
