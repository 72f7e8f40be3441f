"""What preflight asks of the machine that it runs on, and of the network around that machine."""

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
"""Seconds that one connection may take."""
WHO_AM_I = "https://checkip.amazonaws.com/"
"""AWS's own service that answers with the address from which it was asked."""


@dataclass(frozen=True)
class Machine:
    """This machine. A test puts another in its place."""

    address_service: str = WHO_AM_I

    def now(self) -> datetime.datetime:
        """This machine's clock."""
        return datetime.datetime.now(datetime.UTC)

    def variable(self, name: str) -> str | None:
        """A variable of the environment."""
        return os.environ.get(name)

    def program(self, name: str) -> Path | None:
        """Where a program is on PATH."""
        found = shutil.which(name)
        return Path(found) if found else None

    def output(self, program: Path, *arguments: str) -> str:
        """What a program prints. Raises OSError or subprocess.SubprocessError."""
        ended = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=20, check=True
        )
        # The AWS CLI of the first generation told its version on the other stream.
        return ended.stdout or ended.stderr

    def public_address(self) -> str | None:
        """The address from which the internet sees this machine; None where nobody tells."""
        try:
            with urllib.request.urlopen(self.address_service, timeout=WAIT) as answer:
                return answer.read(64).decode("ascii").strip()
        except (OSError, ValueError):
            return None

    def reach(self, url: str) -> str:
        """Why an HTTPS endpoint cannot be reached; "" if it answers.

        Any TLS handshake is an answer: who may use the endpoint is another question.
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
