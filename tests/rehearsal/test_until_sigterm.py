"""The processes that play parts of AWS end as their caller expects."""

import signal
import subprocess
import sys

import pytest

PLAYS = (
    "from rehearsal.until_sigterm import main; import os, signal, sys; sys.exit(main('m', None, "
)
KILLED = "lambda state, stopping: os.kill(os.getpid(), signal.{}) or stopping.wait(5) or 1 / 0))"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_play_which_is_no_failure(tmp_path, number):
    program = PLAYS + KILLED.format(number.name)
    command = [sys.executable, "-c", program, "--state", str(tmp_path)]

    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("part", ["controllers", "nodes"])
def test_without_a_rehearsal_each_says_so_in_one_line(tmp_path, part):
    command = [sys.executable, "-m", f"rehearsal.{part}", "--state", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    line = f"no rehearsal was started in {tmp_path}: `./frugal-eks rehearse start` starts one\n"
    assert ended.stderr == line
