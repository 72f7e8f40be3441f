"""Reserves ports for the servers of a rehearsal, each for one server only."""

import contextlib
import fcntl
import functools
import os
import random
import socket
import tempfile
import threading
from pathlib import Path

from rehearsal.errors import RehearsalError

PORTS = range(20_000, 32_000)
"""Below those of outgoing calls, which begin at 32768 on Linux and at 49152 elsewhere.

Not the operating system's own choice: it gives the same to outgoing calls, so that somebody's
connection may have it by the time a server comes up there.
"""

_given: set[int] = set()
_one_at_a_time = threading.Lock()


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody has, each given once.

    A server takes seconds until it has its port. Until then nothing would tell the next caller
    that the port is promised, so this process remembers it, and the rehearsals of other processes
    see it locked until this one ends. Raises RehearsalError if so many are not left.
    """
    ports: list[int] = []
    with _one_at_a_time:
        for port in random.sample(PORTS, len(PORTS)):
            if len(ports) == count:
                break
            if port not in _given and _is_free(port) and _lock(port):
                _given.add(port)
                ports.append(port)
    if len(ports) < count:
        raise RehearsalError(
            f"too few ports are free from {PORTS[0]} to {PORTS[-1]}: end what listens there"
        )
    return ports


def _is_free(port: int) -> bool:
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False


def _lock(port: int) -> bool:
    """Locks this port's byte in a file that all rehearsals of this user share."""
    promises = _promises()
    with contextlib.suppress(OSError):
        fcntl.lockf(promises, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
        return True
    return False


@functools.cache
def _promises() -> int:
    """The shared file, open until the process ends: closing it would release every lock."""
    path = Path(tempfile.gettempdir()) / f"frugal-eks-ports-{os.getuid()}"
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise RehearsalError(
            f"{path}: {error.strerror}: remove it, or name another folder with TMPDIR"
        ) from None
