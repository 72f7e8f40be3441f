"""docs/pull-requests.md says what the workflows do, and its set-up runs as it stands there."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from frugal_eks.plans.pull_requests.sources import ROLE, roles
from frugal_eks.plans.pull_requests.touched import NOT_THE_PROGRAM, touched
from tests.docs.commands import aws
from tests.docs.pages import blocks
from tests.workflows.conftest import ROOT

PAGE = (ROOT / "docs/pull-requests.md").read_text()
WORKFLOWS = ROOT / ".github/workflows"
PLACEHOLDER = re.compile(r"ACCOUNT_ID|OWNER|REPOSITORY|STACK\b|STATE_BUCKET|STATE_KEY_ARN")
KEY = "arn:aws:kms:eu-west-1:111122223333:key/1234"
LARGEST_INLINE_POLICY = 10_240
"""Characters, white space not counted (IAM quotas)."""
pytestmark = pytest.mark.feature("C-16")


def rows(first: str) -> list[list[str]]:
    """The cells of the table whose header begins with `first`."""
    (table,) = re.findall(rf"^\| {first} \|.*\n\|[-| ]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


@pytest.fixture
def set_up(bench):
    """The block, run with commands that note what they were asked."""
    (block,) = [one for one in blocks() if one.marker == "roles-of-the-workflows"]
    bench.fake("aws", f'case "$1 $2" in "kms create-key") echo {KEY} ;; esac')
    bench.fake("pulumi")
    bench.fake("gh", '[[ $* != *--input* ]] || cat >"$FAKES/body"; [[ $* != *--jq* ]] || echo 42')
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=bench.folder,
        env=bench.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return bench


def test_the_set_up_asks_aws_what_aws_knows(set_up):
    calls = set_up.called("aws")

    assert len(calls) > len(["bucket", "versions", "key", "provider"])
    for service, *call in calls:
        # The CLI's own name of it; `aws s3` are commands of files.
        aws(["aws", "s3" if service == "s3api" else service, *call])


def test_the_set_up_makes_policies_without_a_placeholder(set_up):
    made = sorted((set_up.folder / ".roles").iterdir())

    assert [path.name for path in made] == sorted(p.name for p in (ROOT / ".github/aws").iterdir())
    used = {word for call in set_up.called("aws") for word in call if word.startswith("file://")}
    assert used == {f"file://.roles/{path.name}" for path in made}
    for path in made:
        text = path.read_text()
        assert json.loads(text)["Version"] == "2012-10-17"
        assert PLACEHOLDER.findall(text.replace("OWNER/REPOSITORY", "")) == []
        assert len("".join(text.split())) < LARGEST_INLINE_POLICY
    assert KEY in (set_up.folder / ".roles/preview-policy.json").read_text()
    assert ":environment:nodeless" in (set_up.folder / ".roles/up-trust.json").read_text()


def test_the_set_up_tells_the_workflows_what_they_ask_for(set_up):
    variables = {
        call[2]: (call[call.index("--env") + 1] if "--env" in call else "", call[-1])
        for call in set_up.called("gh")
        if call[:2] == ["variable", "set"]
    }

    assert variables.keys() == {"PULUMI_BACKEND_URL", "AWS_PREVIEW_ROLES", "AWS_UP_ROLE"}
    state = "s3://frugal-eks-state-111122223333?region=eu-west-1"
    assert variables["PULUMI_BACKEND_URL"] == ("", state)
    account = "arn:aws:iam::111122223333"
    assert roles(variables["AWS_PREVIEW_ROLES"][1]) == {
        "nodeless": f"{account}:role/frugal-eks-preview"
    }
    environment, role = variables["AWS_UP_ROLE"]
    assert environment == "nodeless"
    assert ROLE.fullmatch(role)
    assert f"role/{role.rpartition('/')[2]}" == "role/frugal-eks-up-nodeless"
    assert set_up.called("pulumi")[0] == ["login", state]
    approval = json.loads((set_up.bin.parent / "body").read_text())
    assert approval["reviewers"] == [{"type": "User", "id": 42}]
    assert approval["deployment_branch_policy"]["protected_branches"] is True


def test_its_table_has_every_workflow():
    assert sorted(row[0].strip("`") for row in rows("workflow")) == sorted(
        path.name for path in WORKFLOWS.iterdir()
    )


def test_its_table_has_every_variable():
    text = "\n".join(path.read_text() for path in WORKFLOWS.iterdir())

    told = [name for row in rows("variable") for name in re.findall("[A-Z_]{3,}", row[0])]
    assert sorted(told) == sorted(set(re.findall(r"vars\.(\w+)", text)))


def test_its_table_of_sources_has_the_labels_of_the_workflow():
    text = (WORKFLOWS / "preview.yml").read_text()

    for row in rows("source"):
        assert re.search(rf'SOURCE: "?{re.escape(row[0].strip("`"))}', text)


def test_its_table_of_paths_is_the_rule():
    stack, program, none, other = rows("path")
    every = ["nodeless", "spot"]

    assert touched([stack[0].strip("`").replace("STACK", "spot")], every) == ["spot"]
    for path in re.findall("`([^`]+)`", program[0]):
        assert (ROOT / path).exists()
        assert touched([f"{path}x.py" if path.endswith("/") else path], every) == every
    assert none[0] == "documentation, tests, and the commands beside the program"
    assert {"docs/", "tests/"} <= set(NOT_THE_PROGRAM)
    assert (other[0], other[1]) == ("anything else", "every stack")


def test_the_required_checks_have_the_names_of_jobs():
    named = re.search(r"`([^`]+)` and `([^`]+)` as required checks", PAGE)
    assert named

    text = "\n".join(path.read_text() for path in WORKFLOWS.iterdir())
    assert all(f"    name: {name}\n" in text for name in named.groups())


def test_every_script_and_file_that_it_names_is_there():
    named = re.findall(r"`((?:\.github|tests|pull_requests)/[\w./*-]+)`", PAGE)

    assert named
    assert [path for path in named if not list(Path(ROOT).glob(path.rstrip("/")))] == []
