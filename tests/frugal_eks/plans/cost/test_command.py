"""`frugal-eks cost`."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from frugal_eks import cli

ROOT = Path(__file__).parents[4]
RECORDED = ROOT / "tests/data/previews"


@pytest.fixture
def ran(capsys):
    """The exit code, what was told and what was complained of."""

    def run(*arguments):
        try:
            code = cli.main(["cost", *map(str, arguments)])
        except SystemExit as left:
            code = left.code
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def recorded(tmp_path):
    def file(name):
        target = tmp_path / f"{name}.json"
        target.write_bytes(gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()))
        return target

    return file


@pytest.mark.feature("C-13")
def test_from_a_clean_checkout_it_takes_no_aws_no_engine_and_no_terminal(tmp_path):
    """Nothing of the account, of Pulumi's login or of the user's home is looked at."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": os.environ.get("LANG", "C"),
    }

    told = subprocess.run(
        [sys.executable, "-m", "frugal_eks", "cost", "spot"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip

    assert "eu-west-1, USD a month of 730 hours, prices of 2025-03-02 to 2026-07-31" in told.stdout
    assert "total" in told.stdout
    assert "436.69" in told.stdout
    assert "\x1b" not in told.stdout
    assert told.stderr == ""


@pytest.mark.feature("C-13")
def test_a_preview_is_told_before_and_after_with_the_date_of_the_prices(ran, recorded):
    code, out, _ = ran("--preview", recorded("spot-change"))

    assert code == 0
    assert "prices of 2025-03-02 to 2026-07-31" in out
    assert "before" in out
    assert "change" in out


def test_the_same_for_programs_and_for_comments(ran, recorded):
    preview = recorded("nodeless-create")

    code, out, _ = ran("--preview", preview, "--json")
    as_json = json.loads(out)
    assert code == 0
    assert as_json["isWhole"] is True
    assert as_json["difference"]["expected"] == as_json["after"]["total"]["expected"] == 334.80  # noqa: PLR2004
    assert as_json["after"]["prices"] == {"from": "2025-03-02", "to": "2026-07-31"}
    code, out, _ = ran("--preview", preview, "--markdown")
    assert code == 0
    assert out.startswith("**+334.80 USD a month** expected: ")


def test_assumptions_can_be_set_and_lines_asked_for(ran, recorded):
    given = "--preview", recorded("spot-create")
    _, usual, _ = ran(*given, "--json")
    _, more, _ = ran(*given, "--json", "--nat-gb", "1100", "--log-gb", "0")
    _, lines, _ = ran(*given, "--details")

    def expected(text):
        return json.loads(text)["after"]["total"]["expected"]

    assert expected(more) - expected(usual) == pytest.approx(1000 * 0.048 - 3.0)
    assert "2 to 5 nodes, 2 expected, 7 types spot" in lines


def test_another_file_stands_for_a_stack(ran, tmp_path):
    own = tmp_path / "Pulumi.mine.yaml"
    text = (ROOT / "stacks/Pulumi.spot.yaml").read_text()
    own.write_text(text.replace("natGateways: single", "natGateways: perZone"))

    code, out, _ = ran(own, "--json")

    assert code == 0
    # Two more gateways with an address each; the data is the same.
    added = 2 * (0.048 + 0.005) * 730
    assert json.loads(out)["total"]["expected"] == pytest.approx(436.69 + added, abs=0.01)


def test_a_region_without_prices_is_told_as_such_and_nothing_is_zero(ran, tmp_path):
    own = tmp_path / "Pulumi.mine.yaml"
    text = (ROOT / "stacks/Pulumi.spot.yaml").read_text()
    own.write_text(text.replace("aws:region: eu-west-1", "aws:region: eu-central-1"))

    code, out, _ = ran(own)

    assert code == 0
    assert "eu-central-1, USD a month of 730 hours, no price of it is known" in " ".join(
        out.split()
    )
    assert "Not in the sums: cluster: control plane: the price of eksHour in eu-central-1." in out
    # The data that NAT passes has no price either: there is no sum to tell.
    assert "total" not in out


def one_sentence(text):
    assert "Traceback" not in text
    assert len(text.strip().splitlines()) == 1
    return text.strip()


@pytest.mark.parametrize(
    "administrator",
    ["arn:aws:iam::123456789012:role/teams/admin", "arn:aws-cn:iam::123456789012:user/ann"],
)
def test_a_stack_of_another_account_and_administrator_costs_the_same(ran, tmp_path, administrator):
    shipped = (ROOT / "stacks/Pulumi.spot.yaml").read_text()
    other = tmp_path / "Pulumi.dev.yaml"
    other.write_text(
        shipped.replace("arn:aws:iam::111122223333:role/platform-admin", administrator)
    )

    assert ran(other) == ran("spot")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"steps": [{"op": "cre', "is cut off or no JSON"),
        (b"", "is empty"),
        (b"[]", "is JSON, but no object"),
    ],
)
def test_a_preview_that_is_none_is_one_sentence(ran, tmp_path, content, problem):
    file = tmp_path / "preview.json"
    file.write_bytes(content)

    for form in ("--json", "--markdown"):
        code, out, err = ran("--preview", file, form)

        assert (code, out) == (2, "")
        assert problem in one_sentence(err)
        assert str(file) in err


def test_a_preview_that_is_not_there_is_one_sentence(ran, tmp_path):
    code, out, err = ran("--preview", tmp_path / "none.json")

    assert (code, out) == (2, "")
    assert "none.json: cannot be read: No such file or directory: make it" in one_sentence(err)


def test_a_damaged_price_list_is_one_sentence(ran, recorded, tmp_path):
    (tmp_path / "eu-west-1.json").write_text('{"region": "eu-west-1", "serv')

    code, out, err = ran("--preview", recorded("spot-same"), "--prices", tmp_path)

    assert (code, out) == (2, "")
    assert "eu-west-1.json: is cut off or no JSON (line 1" in one_sentence(err)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("config: [", "is no YAML: "),
        ("- a list", "config: is missing"),
        ("config: {}", "aws:region: is missing"),
    ],
)
def test_a_file_that_is_no_stack_file_is_one_sentence(ran, tmp_path, text, problem):
    file = tmp_path / "Pulumi.mine.yaml"
    file.write_text(text)

    code, out, err = ran(file)

    assert (code, out) == (2, "")
    assert problem in one_sentence(err)


def test_mistakes_in_a_stack_file_are_told_as_pulumi_up_tells_them(ran, tmp_path):
    file = tmp_path / "Pulumi.mine.yaml"
    text = (ROOT / "stacks/Pulumi.spot.yaml").read_text()
    file.write_text(text.replace('version: "1.35"', 'version: "1.17"'))

    code, out, err = ran(file)

    assert (code, out) == (2, "")
    assert err.splitlines()[:2] == [
        "Pulumi.mine.yaml is not valid:",
        '  cluster.version: is not offered: choose one of 1.33, 1.34, 1.35, 1.36 (got "1.17")',
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("spot", "--preview", "x.json"),
        ("spot", "--nat-gb", "-1"),
        ("spot", "--nat-gb", "much"),
        ("spot", "--json", "--markdown"),
    ],
)
def test_wrong_usage_is_told_as_such(ran, arguments):
    code, out, err = ran(*arguments)

    assert (code, out) == (2, "")
    assert err


def test_the_estimate_needs_neither_pulumi_nor_aws_nor_rich():
    """A policy pack has an environment of its own, with pydantic and little else."""
    program = """
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pulumi", "pulumi_aws", "pulumi_eks", "pulumi_kubernetes",
                                      "cel_expr_python", "yaml", "rich", "boto3", "botocore"}:
            raise ImportError(name)

sys.meta_path.insert(0, Refusing())
from frugal_eks.plans.cost import estimate
from frugal_eks.plans.previews import Resource
pool = Resource(urn="urn:pulumi:a::b::c::d", type="kubernetes:karpenter.sh/v1:NodePool",
                inputs={"spec": {"limits": {"cpu": "8"}, "template": {"spec": {}}}})
print(len(estimate([pool], "eu-west-1").lines))
"""
    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (told.stdout, told.stderr) == ("1\n", "")
