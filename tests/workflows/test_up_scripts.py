"""The steps of up.yml, with commands that play pulumi and gh."""

import json

import pytest

pytestmark = pytest.mark.feature("C-16")


def test_whoever_approves_sees_the_comment(bench, tmp_path):
    summary = tmp_path / "summary"
    bench.environment["GITHUB_STEP_SUMMARY"] = str(summary)
    (tmp_path / "comment.md").write_text("what would change\n")
    step = {"op": "same", "urn": "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev"}
    step["newState"] = {"urn": step["urn"], "type": "pulumi:pulumi:Stack", "custom": False}
    whole = {"config": {}, "steps": [step], "changeSummary": {"same": 1}}
    (tmp_path / "preview.json").write_text(json.dumps(whole))

    ran = bench.run("plan.sh", tmp_path)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "approval").read_text() == "nothing\n"
    assert summary.read_text() == "what would change\n"


def download(bench, approvals):
    """`gh run download`, with the approvals that the run has."""
    lines = ["while [[ $# -gt 0 ]]; do [[ $1 != --dir ]] || dir=$2; [[ $1 != --name ]] || n=$2"]
    lines += ["shift; done"]
    for stack, digest in approvals.items():
        lines += [f'[[ -z ${{n:-}} ]] && to=$dir/plan-{stack} || to=$dir; mkdir -p "$to"']
        lines += [f'echo {digest} >"$to/approval"']
    bench.fake("gh", "\n".join(lines))


def test_the_stacks_to_approve_are_the_outputs(bench, tmp_path):
    output = tmp_path / "output"
    bench.environment |= {"GITHUB_OUTPUT": str(output), "GITHUB_RUN_ID": "77"}
    download(bench, {"a": "nothing", "b": "f" * 64})
    jobs = [{"stack": stack, "role": "r", "region": "eu-west-1"} for stack in "ab"]

    ran = bench.run("plans.sh", tmp_path / "plans", json.dumps(jobs))

    assert (ran.returncode, ran.stderr) == (0, "")
    assert output.read_text() == 'up=[{"stack": "b", "region": "eu-west-1"}]\n'
    folder = str(tmp_path / "plans")
    assert bench.called("gh") == [["run", "download", "77", "--pattern", "plan-*", "--dir", folder]]


@pytest.fixture
def approved(pulumi, tmp_path):
    """`up.sh` where the preview's digest is a file and the approved one is `right`."""
    pulumi.environment["GITHUB_RUN_ID"] = "77"
    download(pulumi, {"spot": "right"})
    digest = pulumi.bin.parent / "digest"
    pulumi.environment["GITHUB_STEP_SUMMARY"] = str(tmp_path / "summary")
    body = 'if [[ $1 == policy ]]; then exit "$(cat "$FAKES/broken")"; fi; cat "$FAKES/digest"'
    pulumi.fake("frugal-eks", body, at=pulumi.folder)
    pulumi.fake("make")
    digest.write_text("right\n")
    (digest.parent / "broken").write_text("0")
    return pulumi, digest, tmp_path / "up"


def test_up_does_what_was_approved(approved):
    bench, _, folder = approved

    ran = bench.run("up.sh", "spot", folder)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert bench.called("pulumi")[-2:] == [
        ["preview", "--json", "--show-sames", "--non-interactive", "--stack", "spot"],
        [
            *("up", "--yes", "--skip-preview", "--non-interactive", "--stack", "spot"),
            *("--policy-pack", "frugal_eks/plans/policy"),
        ],
    ]
    assert bench.called("make") == [["policy"]]
    assert bench.called("gh")[0][:5] == ["run", "download", "77", "--name", "plan-spot"]
    assert bench.called("frugal-eks") == [
        ["pull-request", "approval", f"{folder}/preview.json"],
        ["policy", f"{folder}/preview.json"],
    ]


@pytest.mark.feature("C-17")
def test_up_does_nothing_that_breaks_a_rule(approved):
    bench, digest, folder = approved
    (digest.parent / "broken").write_text("1")

    assert bench.run("up.sh", "spot", folder).returncode == 1
    assert not any(call[0] == "up" for call in bench.called("pulumi"))


@pytest.mark.parametrize(
    ("now", "code", "told"),
    [
        ("other", 1, "::error::spot: the preview is not the one that was approved"),
        ("nothing", 0, "Nothing is to be changed any more."),
        ("", 1, "::error::spot: the preview is not the one that was approved"),
    ],
)
def test_up_does_nothing_else(approved, now, code, told):
    bench, digest, folder = approved
    digest.write_text(f"{now}\n")

    ran = bench.run("up.sh", "spot", folder)

    assert ran.returncode == code
    assert told in ran.stdout
    assert not any(call[0] == "up" for call in bench.called("pulumi"))


def test_up_without_an_approval_or_with_a_failed_preview_does_nothing(approved):
    bench, _, folder = approved
    bench.fake("gh", "exit 1")

    assert bench.run("up.sh", "spot", folder).returncode == 1
    assert bench.called("pulumi") == []

    download(bench, {"spot": "right"})
    (bench.bin.parent / "code").write_text("1")

    assert bench.run("up.sh", "spot", folder).returncode == 1
    assert not any(call[0] == "up" for call in bench.called("pulumi"))
