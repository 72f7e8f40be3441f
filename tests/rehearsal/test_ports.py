import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rehearsal import ports as ports_module
from rehearsal.errors import RehearsalError
from rehearsal.ports import free_ports
from rehearsal.state import ROOT

CALLS, COUNT = 8, 50
OUTGOING = 32_768
"""Where Linux begins to number the ports of outgoing calls."""


def test_no_port_is_given_twice_although_nobody_listens_yet():
    with ThreadPoolExecutor(4) as threads:
        given = [port for ports in threads.map(free_ports, [COUNT] * CALLS) for port in ports]

    assert len(given) == CALLS * COUNT
    assert len(set(given)) == len(given)
    assert max(given) < OUTGOING


def test_a_port_that_somebody_has_is_not_given(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        theirs = taken.getsockname()[1]
        (free,) = free_ports(1)
        monkeypatch.setattr(ports_module, "PORTS", [theirs, free])
        monkeypatch.setattr(ports_module, "_given", set())

        assert free_ports(1) == [free]


def test_a_port_that_was_given_to_another_rehearsal_is_not_given_until_that_one_ends(monkeypatch):
    program = "from rehearsal.ports import free_ports; print(*free_ports(1), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as other:
        theirs = int(other.stdout.readline())
        (free,) = free_ports(1)
        monkeypatch.setattr(ports_module, "PORTS", [theirs, free])
        monkeypatch.setattr(ports_module, "_given", set())

        assert free_ports(1) == [free]
        with pytest.raises(
            RehearsalError, match=f"^too few ports are free from {theirs} to {free}"
        ):
            free_ports(1)
        other.communicate("\n")

    assert free_ports(1) == [theirs]


def test_a_file_of_locks_that_cannot_be_had_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(ports_module.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    ports_module._promises.cache_clear()
    try:
        with pytest.raises(RehearsalError, match=r"No such file .*TMPDIR$"):
            free_ports(1)
    finally:
        ports_module._promises.cache_clear()
