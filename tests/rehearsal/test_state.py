import json
import stat
import subprocess
import sys

import pytest

from rehearsal.errors import RehearsalError
from rehearsal.state import State, write_private

ENDPOINTS = {"apiServer": "https://a", "aws": "http://b", "region": "eu-west-1", "account": "1"}


@pytest.fixture
def state(tmp_path):
    made = State(tmp_path / "state")
    made.create()
    return made


def test_a_folder_with_other_files_is_not_taken(tmp_path):
    (tmp_path / "thesis.txt").write_text("three years of work")

    with pytest.raises(RehearsalError, match=r"name an empty or a new folder with --state$"):
        State(tmp_path).create()
    with pytest.raises(RehearsalError, match=r"nothing is deleted in it$"):
        State(tmp_path).wipe()
    assert (tmp_path / "thesis.txt").exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(RehearsalError, match=r"name a folder that you may write with --state$"):
        State(tmp_path / "file" / "state").create()


def test_nobody_else_may_look_into_the_folder(state):
    write_private(state.admin_token, "secret")

    modes = [stat.filemode(path.stat().st_mode) for path in (state.path, state.admin_token)]
    assert modes == ["drwx------", "-rw-------"]


def test_wiping_leaves_an_empty_rehearsal(state):
    (state.logs / "etcd.log").write_text("")
    state.remember(ENDPOINTS)

    state.wipe()
    state.create()

    assert not state.started
    assert list(state.logs.iterdir()) == []


def test_endpoints_are_read_as_they_were_written(state):
    state.remember(ENDPOINTS)

    assert State(state.path).endpoints == ENDPOINTS
    assert json.loads((state.path / "endpoints.json").read_text()) == ENDPOINTS


def test_without_a_start_there_are_no_endpoints(state):
    with pytest.raises(RehearsalError, match=r"`./frugal-eks rehearse start` starts one$"):
        _ = state.endpoints


def test_one_command_at_a_time_starts_or_stops(state):
    program = (
        "import sys; from pathlib import Path; from rehearsal.state import State\n"
        "with State(Path(sys.argv[1])).locked():\n    print('locked')"
    )

    with state.locked():
        second = subprocess.run(
            [sys.executable, "-c", program, state.path], capture_output=True, text=True, check=False
        )
    third = subprocess.run(
        [sys.executable, "-c", program, state.path], capture_output=True, text=True, check=False
    )

    assert second.stderr.strip().endswith("wait until it is done")
    assert third.stdout == "locked\n"
