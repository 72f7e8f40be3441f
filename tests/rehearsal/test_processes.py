import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace

import psutil
import pytest

from rehearsal.errors import RehearsalError
from rehearsal.processes import OWNER, Processes
from rehearsal.state import ROOT, State

SLEEP = ["sleep", "60"]
STUBBORN = ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"]


@pytest.fixture
def processes(tmp_path):
    state = State(tmp_path / "state")
    state.create()
    yield Processes(state)
    Processes(state).stop()


def gone(pid):
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_stop_ends_what_was_started_and_nothing_else(processes, tmp_path):
    other = State(tmp_path / "other")
    other.create()
    neighbour = Processes(other).start("sleep", SLEEP)
    bystander = subprocess.Popen(SLEEP)
    started = processes.start("sleep", SLEEP)

    ended = processes.stop()

    assert ended == ["sleep"]
    assert gone(started.pid)
    assert neighbour.alive
    assert bystander.poll() is None
    assert processes.all() == []
    assert Processes(other).stop() == ["sleep"]
    bystander.terminate()
    bystander.wait()


def test_what_ignores_sigterm_is_killed(processes):
    started = processes.start("stubborn", STUBBORN)
    processes.wait("stubborn", lambda: bool(psutil.Process(started.pid).children()), 10)

    assert "stubborn" in processes.stop()
    assert gone(started.pid)


def test_another_interpreter_stops_them_too(processes):
    started = processes.start("sleep", SLEEP)
    program = (
        "import sys; from pathlib import Path; from rehearsal.state import State\n"
        "from rehearsal.processes import Processes\n"
        "print(Processes(State(Path(sys.argv[1]))).stop())"
    )

    told = subprocess.run(
        [sys.executable, "-c", program, processes.state.path],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )

    assert told.stdout == "['sleep']\n"
    assert gone(started.pid)


def test_children_and_processes_without_a_record_are_ended_too(processes):
    parent = processes.start("parent", ["sh", "-c", "sleep 61 & sleep 62 & echo both; wait"])
    log = processes.state.logs / "parent.log"
    processes.wait("parent", lambda: "both" in log.read_text(), 10)
    children = psutil.Process(parent.pid).children()
    (processes.state.records / "parent.json").unlink()

    processes.stop()

    assert gone(parent.pid)
    assert all(gone(child.pid) for child in children)


def test_a_pid_that_is_now_another_process_is_left_alone(processes):
    bystander = subprocess.Popen(SLEEP)
    (processes.state.records / "old.json").write_text(
        f'{{"name": "old", "pid": {bystander.pid}, "created": 1.0, "log": ""}}'
    )

    assert processes.stop() == []
    assert bystander.poll() is None
    bystander.terminate()
    bystander.wait()


@pytest.mark.parametrize("seconds", [-1.0, 1.0])
def test_a_clock_that_is_set_ends_no_process(processes, seconds):
    record = processes.start("etcd", SLEEP)

    assert replace(record, created=record.created + seconds).alive


def test_a_process_that_dies_early_is_told_with_its_last_words(processes):
    processes.start("etcd", ["sh", "-c", "echo bind: address already in use; exit 3"])

    with pytest.raises(RehearsalError) as error:
        processes.wait("etcd", lambda: False, 10)

    sentence, *words = str(error.value).splitlines()
    assert "ended with exit code 3" in sentence
    assert sentence.endswith("etcd.log:")
    assert words == ["  bind: address already in use"]


def test_a_killed_process_is_told_by_its_signal(processes):
    record = processes.start("kube-apiserver", SLEEP)
    os.kill(record.pid, signal.SIGKILL)
    processes_ended = time.monotonic() + 10
    while record.alive and time.monotonic() < processes_ended:
        time.sleep(0.01)

    with pytest.raises(RehearsalError, match=r"kube-apiserver .* was ended by SIGKILL, so the"):
        processes.require_alive()


def test_what_is_not_ready_in_time_is_told(processes):
    processes.start("kwok", ["sh", "-c", "echo still loading; sleep 60"])
    processes.wait("kwok", lambda: "still" in (processes.state.logs / "kwok.log").read_text(), 10)

    with pytest.raises(RehearsalError, match=r"kwok was not ready within 0 s(.|\n)*still loading$"):
        processes.wait("kwok", lambda: False, 0.1)


def test_a_second_process_of_one_name_is_refused(processes):
    processes.start("sleep", SLEEP)

    with pytest.raises(RehearsalError, match=r"`./frugal-eks rehearse stop` ends it$"):
        processes.start("sleep", SLEEP)


def test_a_program_that_does_not_exist_is_told(processes):
    with pytest.raises(RehearsalError, match=r"/no/such: No such file or directory$"):
        processes.start("ghost", ["/no/such"])


def test_credentials_and_proxies_of_the_user_are_not_handed_on(processes, monkeypatch):
    for name in ("AWS_PROFILE", "AWS_SECRET_ACCESS_KEY", "KUBECONFIG", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "mine")

    environment = processes.environment({"A": "b"})

    assert "mine" not in environment.values()
    assert environment["A"] == "b"
    assert environment[OWNER] == str(processes.state.path)


def test_ctrl_c_right_after_a_start_loses_no_process(processes):
    program = textwrap.dedent(
        """
        import os, signal, sys, threading
        from pathlib import Path
        from rehearsal.processes import Processes
        from rehearsal.state import State
        processes = Processes(State(Path(sys.argv[1])))
        threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGINT)).start()
        for number in range(1000):
            processes.start(f"p{number}", ["sleep", "63"])
        """
    )

    subprocess.run(
        [sys.executable, "-c", program, processes.state.path, "0.3"],
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    recorded = {record.pid for record in processes.all()}
    started = set()
    for process in psutil.process_iter():
        try:
            if process.environ().get(OWNER) == str(processes.state.path):
                started.add(process.pid)
        except (psutil.Error, OSError):
            continue

    assert recorded
    assert started == recorded
