"""Where a stack is previewed, and who decides that."""

from pathlib import Path

import pytest

from frugal_eks.plans.pull_requests.errors import PullRequestError
from frugal_eks.plans.pull_requests.sources import Origin, matrices, region, roles

ROOT = Path(__file__).parents[2]
ROLE = "arn:aws:iam::111122223333:role/frugal-eks-preview"
FILES = {stack: ROOT / f"stacks/Pulumi.{stack}.yaml" for stack in ("nodeless", "spot")}
pytestmark = pytest.mark.feature("C-16")


def origin(head="owner/platform", author_type="User"):
    return Origin(repository="owner/platform", head_repository=head, author_type=author_type)


def test_a_stack_with_a_role_is_previewed_on_aws_and_another_in_a_rehearsal():
    found = matrices(["nodeless", "spot"], FILES, {"spot": ROLE}, origin())

    assert found == {
        "aws": [{"stack": "spot", "role": ROLE, "region": "eu-west-1"}],
        "rehearsal": [{"stack": "nodeless", "why": "no role of AWS is set for this stack"}],
    }


@pytest.mark.parametrize(
    ("whose", "why"),
    [
        (origin(head="stranger/platform"), "the change comes from a fork"),
        # The fork was deleted meanwhile.
        (origin(head=""), "the change comes from a fork"),
        (origin(author_type="Bot"), "the change is a bot's"),
    ],
)
def test_code_that_is_not_trusted_gets_no_credentials(whose, why):
    found = matrices(["spot"], FILES, {"spot": ROLE}, whose)

    assert found == {"aws": [], "rehearsal": [{"stack": "spot", "why": why}]}


def test_a_push_is_trusted():
    assert origin(head=None, author_type="").distrust == ""


@pytest.mark.parametrize("text", ["", "{}"])
def test_no_role_at_all_is_fine(text):
    assert roles(text) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arn:aws:iam::1:role/x", "AWS_PREVIEW_ROLES is no JSON"),
        ('["x"]', "AWS_PREVIEW_ROLES is no JSON object"),
        ('{"spot": 1}', r"AWS_PREVIEW_ROLES.spot: is no ARN of a role \(got 1\)"),
        ('{"spot": "AKIAEXAMPLE"}', "AWS_PREVIEW_ROLES.spot: is no ARN of a role"),
    ],
)
def test_a_variable_that_is_none_of_roles_is_told(text, message):
    with pytest.raises(PullRequestError, match=f"{message}.*: write "):
        roles(text)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "stacks").glob("Pulumi.*.yaml")), ids=lambda p: p.stem
)
def test_the_region_of_each_stack_file_is_found_without_a_yaml_library(path):
    assert region(path) == "eu-west-1"


def test_a_stack_file_without_a_region_is_told(tmp_path):
    (tmp_path / "Pulumi.dev.yaml").write_text("config:\n  # aws:region: eu-west-1\n")

    with pytest.raises(PullRequestError, match=r"^Pulumi.dev.yaml: aws:region must name"):
        region(tmp_path / "Pulumi.dev.yaml")
