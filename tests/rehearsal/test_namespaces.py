"""A program finds files where a pod has them, and this machine does not."""

import subprocess
from pathlib import Path

import pytest

from rehearsal.nodes import namespaces


@pytest.fixture(autouse=True)
def _tried_anew():
    namespaces.missing.cache_clear()
    yield
    namespaces.missing.cache_clear()


def test_files_are_there_for_the_program_alone(tmp_path):
    if why := namespaces.missing():
        pytest.skip(why)
    secret = tmp_path / "it's the token"
    secret.write_text("a 'quoted' $secret")
    inside = "kubernetes.io/serviceaccount/token"
    argv = namespaces.command({inside: secret}, ["cat", f"{namespaces.SECRETS}/{inside}"])

    assert subprocess.check_output(argv, text=True) == "a 'quoted' $secret"
    assert not Path(namespaces.SECRETS, inside).exists()


def test_a_file_that_is_missing_ends_the_program(tmp_path):
    if why := namespaces.missing():
        pytest.skip(why)
    argv = namespaces.command({"token": tmp_path / "none"}, ["echo", "ran"])

    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert ended.returncode
    assert "ran" not in ended.stdout


def test_where_there_is_no_unshare_it_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert namespaces.missing() == "no `unshare` on PATH, Linux's own command for namespaces"


def test_where_it_is_forbidden_its_last_words_are_told(monkeypatch, tmp_path):
    forbidden = tmp_path / "unshare"
    forbidden.write_text(
        "#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n"
    )
    forbidden.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    told = namespaces.missing()
    assert told.startswith("`unshare --mount")
    assert told.endswith("` is not allowed: unshare: unshare failed: Operation not permitted")
