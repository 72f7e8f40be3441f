"""The rehearsal's preview, with real git on a repository of its own and a rehearsal that notes."""

import subprocess

import pytest

pytestmark = pytest.mark.feature("C-16")
AGAINST = {
    "base": "against the base branch, which was brought up first\n",
    "broken": "against nothing: the base branch did not come up\n",
    "new": "against nothing: the stack is new\n",
}


@pytest.fixture
def rehearsed(bench, plays):
    """A repository with two commits, and a rehearsal that notes where it is run and on what."""
    root = bench.folder

    def git(*arguments):
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        ran = subprocess.run(
            ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip()

    (root / ".gitignore").write_text(".venv\n.github\nfrugal-eks\n")
    (root / "stacks").mkdir()
    (root / "stacks" / "Pulumi.spot.yaml").write_text("base\n")
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=base")
    base = git("rev-parse", "HEAD")
    (root / "stacks" / "Pulumi.spot.yaml").write_text("head\n")
    (root / "stacks" / "Pulumi.new.yaml").write_text("head\n")
    git("add", ".")
    git("commit", "--quiet", "--message=head")
    bench.fake("make", 'cp frugal-eks "$2/"')
    plays(
        "rehearse",
        'echo "$2 $(cat stacks/Pulumi.spot.yaml) $(cat "${@: -1}")" >>"$FAKES/rehearsed"\n'
        "[[ ! -e $FAKES/broken-$2-$(cat stacks/Pulumi.spot.yaml) ]] || exit 1\n"
        'if [[ $2 == preview ]]; then echo previewed >"$5"; fi',
    )
    return bench, base, lambda: (bench.bin.parent / "rehearsed").read_text().splitlines()


def test_the_base_is_brought_up_and_the_change_previewed_against_it(rehearsed, tmp_path):
    bench, base, rehearsals = rehearsed

    ran = bench.run("preview-rehearsal.sh", "spot", base, tmp_path / "out")

    assert (ran.returncode, ran.stderr) == (0, "")
    # What is done, in which checkout, with whose stack file.
    assert rehearsals() == [
        "start base base",
        "up base base",
        "preview head head",
        "stop head head",
    ]
    assert (tmp_path / "out" / "preview.json").read_text() == "previewed\n"
    assert (tmp_path / "out/against").read_text() == AGAINST["base"]
    states = {call[call.index("--state") + 1] for call in bench.called("frugal-eks")}
    assert len(states) == 1
    worktrees = subprocess.run(
        ["git", "worktree", "list"], cwd=bench.folder, capture_output=True, text=True, check=True
    )
    assert len(worktrees.stdout.splitlines()) == 1


def test_a_new_stack_is_previewed_against_nothing(rehearsed, tmp_path):
    bench, base, rehearsals = rehearsed

    ran = bench.run("preview-rehearsal.sh", "new", base, tmp_path / "out")

    assert ran.returncode == 0
    assert (tmp_path / "out/against").read_text() == AGAINST["new"]
    assert [line.split()[0] for line in rehearsals()] == ["stop", "start", "preview", "stop"]


@pytest.mark.parametrize("step", ["start", "up"])
def test_a_base_that_does_not_come_up_is_no_obstacle(rehearsed, tmp_path, step):
    bench, base, rehearsals = rehearsed
    (bench.bin.parent / f"broken-{step}-base").touch()

    ran = bench.run("preview-rehearsal.sh", "spot", base, tmp_path / "out")

    assert ran.returncode == 0
    assert (tmp_path / "out/against").read_text() == AGAINST["broken"]
    assert rehearsals()[-4:] == [
        f"{what} head head" for what in ("stop", "start", "preview", "stop")
    ]


def test_a_change_that_cannot_be_previewed_fails_and_leaves_nothing_running(rehearsed, tmp_path):
    bench, base, rehearsals = rehearsed
    (bench.bin.parent / "broken-preview-head").touch()

    ran = bench.run("preview-rehearsal.sh", "spot", base, tmp_path / "out")

    assert ran.returncode == 1
    assert rehearsals()[-1] == "stop head head"
    assert list(tmp_path.glob("tmp.*")) == []
