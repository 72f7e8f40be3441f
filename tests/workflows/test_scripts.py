"""The small steps of the workflows, with commands that play make, sudo and sysctl."""

import subprocess
import sys

import pytest

from frugal_eks.errors import CommandError
from tests.workflows.conftest import ROOT

pytestmark = pytest.mark.feature("C-16")


def test_the_environment_is_made_and_the_cli_is_on_the_path(bench, plays, tmp_path):
    bench.environment["GITHUB_PATH"] = str(tmp_path / "path")
    bench.fake("make")
    plays("rehearsal.toolchain", r"printf 'pulumi\t/cache/a/pulumi\nhost\t/cache/b/host\n'")

    assert bench.run("setup.sh").returncode == 0
    assert (tmp_path / "path").read_text() == "/cache/a\n/cache/b\n"
    assert bench.called("make") == [["setup"]]
    assert bench.called("python") == [
        ["-m", "rehearsal.toolchain", "pulumi", "pulumi-language-python"]
    ]


def test_a_cli_that_cannot_be_built_ends_the_job(bench, plays, tmp_path):
    bench.environment["GITHUB_PATH"] = str(tmp_path / "path")
    bench.fake("make")
    plays("rehearsal.toolchain", "exit 1")

    assert bench.run("setup.sh").returncode == 1


def test_what_is_touched_becomes_the_steps_outputs_or_nothing_does(bench, tmp_path):
    output = tmp_path / "output"
    bench.environment |= {"GITHUB_OUTPUT": str(output), "AWS_PREVIEW_ROLES": ""}
    (bench.folder / "stacks").mkdir()
    (bench.folder / "stacks" / "Pulumi.dev.yaml").write_text("config: {}\n")

    assert bench.run("touched.sh").returncode == 0
    first = output.read_text()
    assert first.startswith('aws=[]\nrehearsal=[{"stack": "dev", ')

    ran = bench.run("touched.sh", "0" * 40)
    assert ran.returncode == CommandError.code
    assert "check out with fetch-depth: 0" in ran.stderr
    assert output.read_text() == first


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (["success", "skipped", "success"], 0),
        (["success", "failure", "skipped"], 1),
        (["cancelled", "skipped", "skipped"], 1),
    ],
)
def test_one_check_stands_for_all_stacks(bench, results, code):
    assert bench.run("all-well.sh", *results).returncode == code


@pytest.mark.feature("C-17")
@pytest.mark.parametrize("code", [0, 1])
def test_what_the_rules_say_is_shown_and_a_broken_one_ends_the_job(bench, plays, tmp_path, code):
    summary = tmp_path / "summary"
    bench.environment["GITHUB_STEP_SUMMARY"] = str(summary)
    plays("policy", f"echo 'what they say'; exit {code}")

    ran = bench.run("policy.sh", tmp_path)

    assert ran.returncode == code
    assert ran.stdout == summary.read_text() == "what they say\n"
    assert bench.called("frugal-eks") == [["policy", f"{tmp_path}/preview.json"]]


def test_the_number_goes_beside_the_comment(bench, tmp_path):
    assert bench.run("number.sh", tmp_path / "new", 12).returncode == 0
    assert (tmp_path / "new" / "number").read_text() == "12\n"


@pytest.mark.parametrize("command", ["stacks", "changed", "post"])
def test_what_runs_without_an_environment_needs_nothing_but_python(command):
    argv = [sys.executable, "-S", "-m", "frugal_eks", "pull-request", command, "--help"]

    ran = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("there", [True, False])
def test_namespaces_are_allowed_where_the_runner_forbids_them(bench, there):
    bench.fake("sysctl", f"exit {0 if there else 255}")
    bench.fake("sudo")

    assert bench.run("user-namespaces.sh").returncode == 0
    setting = "kernel.apparmor_restrict_unprivileged_userns=0"
    assert bench.called("sudo") == ([["sysctl", "--write", setting]] if there else [])
