"""The house rules of .github/workflows: least rights, pinned actions, nothing secret to forks."""

import re
from pathlib import Path

import pytest
import yaml

from rehearsal.toolchain.families import FAMILIES
from rehearsal.toolchain.go import needed_version
from tests.workflows.conftest import SCRIPTS

ROOT = Path(__file__).parents[2]
FILES = {path.name: path.read_text() for path in sorted((ROOT / ".github/workflows").iterdir())}
# YAML 1.1 reads the key `on` as true.
WORKFLOWS = {name: yaml.safe_load(text) for name, text in FILES.items()}
JOBS = [
    pytest.param(name, job, made, id=f"{name}-{job}")
    for name, workflow in WORKFLOWS.items()
    for job, made in workflow["jobs"].items()
]
STEPS = [
    (name, job, step)
    for name, workflow in WORKFLOWS.items()
    for job, made in workflow["jobs"].items()
    for step in made["steps"]
]
ALLOWED = {
    "actions/cache",
    "actions/checkout",
    "actions/setup-go",
    "actions/setup-python",
    "actions/upload-artifact",
    "aws-actions/configure-aws-credentials",
}
CREDENTIALS = "aws-actions/configure-aws-credentials"
pytestmark = pytest.mark.feature("C-16")


def uses(step):
    return step.get("uses", "").partition("@")[0]


def test_there_are_the_four_workflows():
    assert list(FILES) == ["check.yml", "comment.yml", "preview.yml", "up.yml"]


@pytest.mark.parametrize("name", FILES)
def test_a_workflow_has_no_rights_but_those_of_its_jobs(name):
    assert WORKFLOWS[name]["permissions"] == {}
    assert "concurrency" in WORKFLOWS[name]


@pytest.mark.parametrize(("name", "job", "made"), JOBS)
def test_a_job_names_its_rights_its_runner_and_its_end(name, job, made):
    writes = {right for right, level in made["permissions"].items() if level != "read"}

    assert writes <= {"id-token"} or (name, job, writes) == (
        "comment.yml",
        "post",
        {"pull-requests"},
    )
    # A runner of one's own is for code that is trusted: where there are credentials.
    chosen = "${{ vars.RUNNER || 'ubuntu-24.04' }}" if "id-token" in writes else "ubuntu-24.04"
    assert made["runs-on"] == chosen
    assert "timeout-minutes" in made


def test_every_action_is_one_of_few_and_one_commit_of_it():
    pins = {}
    for line in "\n".join(FILES.values()).splitlines():
        if "uses:" in line:
            found = re.fullmatch(r"\s*(?:- )?uses: (\S+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", line)
            assert found, line
            pins.setdefault(found[1], set()).add((found[2], found[3]))

    assert pins.keys() == ALLOWED
    assert {action for action, versions in pins.items() if len(versions) != 1} == set()


def test_nobody_finds_the_jobs_token_in_the_checkout():
    checkouts = [step for *_, step in STEPS if uses(step) == "actions/checkout"]

    assert len(checkouts) >= len(WORKFLOWS)
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    # What was checked out is what the event names: no other commit with this one's rights.
    assert not any("ref" in step["with"] or "repository" in step["with"] for step in checkouts)


def test_no_step_holds_more_than_calls_of_scripts_and_none_an_expression():
    runs = [step["run"] for *_, step in STEPS if "run" in step]
    called = re.compile(r"\.github/scripts/([\w-]+\.sh)")
    word = r'(?:\s+(?:\\\n\s*)?(?:"\$\w+"|\.github/scripts/[\w-]+\.sh))*'
    commands = re.compile(
        r"(?:\.github/scripts/[\w-]+\.sh|\.ci/run|python3 -m frugal_eks pull-request post)"
        rf"{word}"
    )

    assert not any("${{" in run for run in runs)
    for run in runs:
        lines = run.replace("\\\n", " ").strip().splitlines()
        assert all(commands.fullmatch(line.strip()) for line in lines), run
    inside = {
        name
        for path in SCRIPTS.glob("*.sh")
        for name in re.findall(r"/([\w-]+\.sh)\"", path.read_text())
    }
    names = {name for run in runs for name in called.findall(run)} | inside | {"lint.sh"}
    assert names == {path.name for path in SCRIPTS.iterdir()}


def test_every_script_ends_at_its_first_failure_and_can_be_run():
    for path in SCRIPTS.glob("*.sh"):
        lines = path.read_text().splitlines()
        assert lines[0] == "#!/usr/bin/env bash", path.name
        assert "set -euo pipefail" in lines, path.name
        assert path.stat().st_mode & 0o111, path.name


def test_no_workflow_knows_a_secret():
    """Short-lived credentials of OIDC alone; variables are no secrets."""
    text = "\n".join(FILES.values())

    assert "secrets." not in text
    assert "secrets[" not in text
    assert not re.search(r"(?i)aws[_-](access[_-]key|secret)|access[_-]token", text)
    assert set(re.findall(r"vars\.(\w+)", text)) == {
        "AWS_PREVIEW_ROLES",
        "AWS_UP_ROLE",
        "PULUMI_BACKEND_URL",
        "PULUMI_ORGANIZATION",
        "RUNNER",
    }


def test_no_workflow_runs_a_pull_requests_code_with_rights():
    triggers = {name: set(workflow[True]) for name, workflow in WORKFLOWS.items()}

    assert triggers == {
        "check.yml": {"push", "pull_request"},
        "comment.yml": {"workflow_run"},
        "preview.yml": {"pull_request"},
        "up.yml": {"push", "workflow_dispatch"},
    }
    assert WORKFLOWS["up.yml"][True]["push"] == {"branches": ["main"]}
    # The only finding that is let be, and beside it why.
    ignored = [line for text in FILES.values() for line in text.splitlines() if "zizmor:" in line]
    assert ignored == ["  workflow_run: # zizmor: ignore[dangerous-triggers]"]


def test_what_posts_runs_nothing_but_the_default_branchs_own_code():
    steps = WORKFLOWS["comment.yml"]["jobs"]["post"]["steps"]

    assert [uses(step) or step["run"] for step in steps] == [
        "actions/checkout",
        "python3 -m frugal_eks pull-request post",
    ]
    assert WORKFLOWS["comment.yml"][True]["workflow_run"]["workflows"] == [
        WORKFLOWS["preview.yml"]["name"]
    ]


def test_credentials_are_where_code_is_trusted_and_nowhere_else():
    with_token = {
        (name, job)
        for name, workflow in WORKFLOWS.items()
        for job, made in workflow["jobs"].items()
        if "id-token" in made["permissions"]
    }
    with_role = {(name, job) for name, job, step in STEPS if uses(step) == CREDENTIALS}

    assert with_token == with_role
    assert with_role == {("preview.yml", "aws"), ("up.yml", "preview"), ("up.yml", "up")}
    # frugal_eks.plans.pull_requests.sources decides which stacks these are: never a fork's, never
    # a bot's.
    matrix = WORKFLOWS["preview.yml"]["jobs"]["aws"]["strategy"]["matrix"]
    assert matrix == {"include": "${{ fromJSON(needs.stacks.outputs.aws) }}"}


def test_only_an_approved_job_gets_the_role_that_deploys():
    jobs = WORKFLOWS["up.yml"]["jobs"]

    assert [job for job, made in jobs.items() if "environment" in made] == ["up"]
    assert jobs["up"]["environment"] == "${{ matrix.stack }}"
    roles = {
        job: step["with"]["role-to-assume"]
        for name, job, step in STEPS
        if name == "up.yml" and uses(step) == CREDENTIALS
    }
    assert roles == {"preview": "${{ matrix.role }}", "up": "${{ vars.AWS_UP_ROLE }}"}
    assert "refs/heads/main" in jobs["preview"]["if"]


def test_one_up_of_a_stack_at_a_time_and_none_is_broken_off():
    assert WORKFLOWS["up.yml"]["jobs"]["up"]["concurrency"] == {
        "group": "up-${{ matrix.stack }}",
        "cancel-in-progress": False,
    }
    assert WORKFLOWS["up.yml"]["concurrency"]["cancel-in-progress"] is False


def test_previews_of_one_stack_and_pull_request_replace_each_other():
    for job in ("aws", "rehearsal"):
        assert WORKFLOWS["preview.yml"]["jobs"][job]["concurrency"] == {
            "group": "preview-${{ github.event.pull_request.number }}-${{ matrix.stack }}",
            "cancel-in-progress": True,
        }


def test_the_comment_says_where_its_preview_was_made():
    sources = {
        job: step["env"]["SOURCE"]
        for name, job, step in STEPS
        if name == "preview.yml" and "SOURCE" in step.get("env", {})
    }

    assert sources.keys() == {"aws", "rehearsal"}
    assert sources["aws"].startswith("pulumi preview on AWS")
    assert sources["rehearsal"].startswith("rehearsal: AWS was played")
    assert "${{ matrix.why }}" in sources["rehearsal"]


def test_what_the_jobs_leave_has_the_names_that_others_look_for():
    names = [
        (name, step["with"]["name"], step["with"]["path"].split("/")[-1].strip())
        for name, _, step in STEPS
        if uses(step) == "actions/upload-artifact"
    ]

    assert names == [
        ("preview.yml", "review-${{ matrix.stack }}", "number"),
        ("preview.yml", "review-${{ matrix.stack }}", "number"),
        ("up.yml", "plan-${{ matrix.stack }}", "approval"),
    ]


def test_the_go_of_the_runner_is_new_enough_for_every_tool():
    files = {
        step["with"]["go-version-file"] for *_, step in STEPS if uses(step) == "actions/setup-go"
    }

    (file,) = files
    told = re.search(r"(?m)^go (\S+)$", (ROOT / file).read_text())
    assert told
    assert told[1] == needed_version(FAMILIES)


def test_the_check_allows_namespaces_and_runs_what_a_fresh_clone_runs():
    runs = [step["run"] for name, _, step in STEPS if name == "check.yml" and "run" in step]

    assert runs == [".github/scripts/user-namespaces.sh", ".ci/run"]
