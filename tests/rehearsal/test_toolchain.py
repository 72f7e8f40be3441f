import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from rehearsal import toolchain
from rehearsal.errors import RehearsalError
from rehearsal.state import ROOT
from rehearsal.toolchain import builder, go, on_path
from rehearsal.toolchain.families import FAMILIES, Family, family_of
from rehearsal.toolchain.progress import BuildStep, LineProgress

MAIN = 'package main\n\nimport "fmt"\n\nvar version = "?"\n\nfunc main() { fmt.Print(version) }\n'

INTERRUPTED = 130


@pytest.fixture
def family(tmp_path):
    """A tool of one file, and its go.mod."""
    folder = tmp_path / "hello"
    folder.mkdir()
    (folder / "go.mod").write_text("module hello\n\ngo 1.21\n")
    (folder / "main.go").write_text(MAIN)
    return Family(
        name="hello",
        packages={"hello": "."},
        stamps={"main.version": "v1.2.3"},
        module_files={},
        minutes=0.1,
        folder=folder,
    )


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of tools; Go's own build cache stays the user's."""
    known = subprocess.check_output(["go", "env", "GOCACHE", "GOMODCACHE"], text=True)
    gocache, gomodcache = known.split()
    monkeypatch.setenv("GOCACHE", gocache)
    monkeypatch.setenv("GOMODCACHE", gomodcache)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "frugal-eks" / "toolchain"


def executable(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.engine
@pytest.mark.usefixtures("cache")
def test_a_tool_is_built_once_and_reused_by_the_next_clone(family, tmp_path, capsys):
    built = toolchain.ensure(["hello"], families=(family,))
    first = capsys.readouterr().err
    clone = tmp_path / "clone"
    family.folder.rename(clone)
    again = toolchain.ensure(["hello"], families=(Family(**{**vars(family), "folder": clone}),))

    assert "hello: built in " in first
    assert subprocess.check_output([built["hello"]]) == b"v1.2.3"
    assert again == built
    assert capsys.readouterr().err == ""
    assert [path.name for path in built["hello"].parent.iterdir()] == ["hello"]


@pytest.mark.engine
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("change", ["go.mod", "main.go", "flags"])
def test_other_inputs_are_built_anew(family, change):
    first = toolchain.ensure(["hello"], families=(family,))["hello"]
    match change:
        case "go.mod":
            (family.folder / "go.mod").write_text("module hello\n\ngo 1.22\n")
        case "main.go":
            (family.folder / "main.go").write_text(MAIN + "\n// changed\n")
        case _:
            family.stamps["main.version"] = "v2"

    assert toolchain.ensure(["hello"], families=(family,))["hello"] != first


@pytest.mark.engine
def test_karpenter_is_built_with_a_fleet_that_takes_the_cheapest_of_all_launch_templates():
    binary = toolchain.ensure(["karpenter"])["karpenter"]

    assert b"kwok/ec2.(*Client).lowestPriced" in binary.read_bytes()


@pytest.mark.engine
def test_an_edit_of_a_line_that_a_module_no_longer_has_is_told(tmp_path):
    (karpenter,) = (one for one in FAMILIES if one.name == "karpenter")
    gone = replace(karpenter.edits[0], old="nobody wrote this")

    with pytest.raises(RehearsalError, match=r"mend its Edit in rehearsal/toolchain/families\.py$"):
        go.Go.find().build(
            replace(karpenter, edits=(gone,)), "karpenter", tmp_path / "out", LineProgress()
        )


@pytest.mark.engine
def test_what_does_not_compile_is_told_and_leaves_nothing(cache, family):
    (family.folder / "main.go").write_text("package main\n\nfunc main() { nonsense() }\n")

    with pytest.raises(RehearsalError, match=r"could not build hello(.|\n)*undefined: nonsense"):
        toolchain.ensure(["hello"], families=(family,))
    assert [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"] == []


@pytest.mark.engine
def test_ctrl_c_ends_go_and_leaves_nothing_half_done(cache, tmp_path):
    program = "import sys; from rehearsal.toolchain.__main__ import main; sys.exit(main())"
    # A Go cache of its own: everything is to be compiled, which takes long enough.
    env = {**os.environ, "GOCACHE": str(tmp_path / "gocache")}
    with subprocess.Popen(
        [sys.executable, "-c", program, "etcd"], cwd=ROOT, env=env, stderr=subprocess.PIPE
    ) as child:
        deadline = time.monotonic() + 60
        while "compile" not in (started := children_of(child.pid)).values():
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)

        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=30)

    assert child.returncode == INTERRUPTED
    assert b"broken off: what was built is kept" in told
    assert psutil.wait_procs(started, timeout=5)[1] == []
    assert [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"] == []


def children_of(pid):
    """All processes below this one, with their names."""
    found = {}
    with contextlib.suppress(psutil.NoSuchProcess):
        for one in psutil.Process(pid).children(recursive=True):
            found[one] = one.name()
    return found


@pytest.mark.engine
@pytest.mark.usefixtures("cache")
def test_two_builders_at_once_build_one_after_the_other(family, monkeypatch):
    store = builder.Store.of(family, go.Go.find())
    store.path.parent.mkdir(parents=True)
    program = (
        "import fcntl, select, sys\nlock = open(sys.argv[1], 'a')\n"
        "fcntl.flock(lock, fcntl.LOCK_EX)\nprint('locked', flush=True)\n"
        "select.select([sys.stdin], [], [], 30)"
    )
    command = [sys.executable, "-c", program, store.path.with_name(store.path.name + ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"locked\n"
        progress, told = LineProgress(), []

        def say(message):
            told.append(message)
            if message.endswith("waiting"):
                other.communicate(b"\n")

        monkeypatch.setattr(progress, "say", say)
        toolchain.ensure(["hello"], progress, families=(family,))

    assert "hello is being built by another process: waiting" in told


def test_a_machine_without_go_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(RehearsalError, match=r"install Go 1\.26\.\d+ or newer \(https://go.dev"):
        toolchain.ensure(["etcd"])


def test_an_old_go_is_told_with_the_version_that_is_needed(monkeypatch, tmp_path):
    executable(tmp_path / "go", "echo go1.20.1 linux amd64")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    with pytest.raises(RehearsalError, match=r"go1\.20\.1, too old .*: install Go 1\.26"):
        toolchain.ensure(["etcd"])


@pytest.mark.parametrize(
    ("version", "with_host", "used"),
    [("v3.300.1", True, True), ("v3.100.0", True, False), ("v3.300.1", False, False)],
)
def test_a_new_enough_pulumi_with_its_host_is_the_users_own(
    monkeypatch, tmp_path, version, with_host, used
):
    executable(tmp_path / "pulumi", f"echo {version}")
    executable(tmp_path / "pulumi-language-python", "")
    if with_host:
        executable(tmp_path / "pulumi-language-python-exec", "")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    own = {name: tmp_path / name for name in on_path.ON_PATH}
    assert on_path.pulumi_on_path() == (own if used else {})


def test_every_family_has_its_modules_and_every_tool_one_family():
    tools = [tool for family in FAMILIES for tool in family.packages]

    assert len(tools) == len(set(tools))
    for family in FAMILIES:
        assert (family.folder / "go.mod").exists(), family.name
        assert (family.folder / "go.sum").exists(), family.name
    assert set(toolchain.REHEARSAL) <= set(tools)


def test_an_unknown_tool_is_told_with_those_that_there_are():
    with pytest.raises(LookupError, match="etcdd is none of the tools actionlint, etcd, "):
        family_of("etcdd")


def test_progress_without_a_terminal_is_a_line_about_every_15_seconds(capsys, monkeypatch):
    clock = iter(range(100, 200))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    progress = LineProgress()
    step = BuildStep(tool="etcd", minutes=1, total=500)

    for second in range(60):
        step = step.after("some/package")
        progress.show(step, second)

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) in range(3, 6)
    assert lines[0] == "etcd: 1 packages compiled (of at most 500), 0 s"
