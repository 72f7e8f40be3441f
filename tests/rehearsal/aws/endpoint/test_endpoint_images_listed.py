"""`./frugal-eks images` against the played Parameter Store."""

import re

import pytest

from frugal_eks import cli
from frugal_eks.errors import CommandError
from rehearsal.aws import images
from tests.rehearsal.aws.endpoint.conftest import REGION

COLUMNS, USAGE = 4, 2

pytestmark = pytest.mark.usefixtures("bare_aws")


@pytest.fixture
def listed(served, monkeypatch, tmp_path, capsys):
    """Exit code, rows of four columns and all that was printed of a run with these arguments."""
    url, _ = served
    for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    settings = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": url,
        "AWS_REGION": REGION,
        "COLUMNS": "160",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    def run(*arguments):
        code = cli.main(["images", *arguments])
        printed = capsys.readouterr()
        rows = [re.split(r"\s*│\s*", line.strip("│ ")) for line in printed.out.splitlines()]
        return code, [row for row in rows if len(row) == COLUMNS], printed

    return run


def newest_first(family, minor):
    return getattr(images.releases(), family)[minor][::-1]


@pytest.mark.feature("B-34")
def test_the_newest_releases_are_listed_as_a_stack_file_pins_them(listed):
    code, rows, printed = listed("--kubernetes", "1.35", "--family", "al2023", "--arch", "arm64")

    newest = newest_first("al2023", "1.35")
    assert code == 0
    assert rows == [
        ["AL2023", "arm64", release, f"al2023@v{release[-8:]}"] for release in newest[:10]
    ]
    assert f"{len(newest) - 10} older ones are left out" in printed.out


def test_all_are_every_release_of_each_family_and_architecture(listed):
    code, rows, printed = listed("--all")

    assert code == 0
    assert [row[:3] for row in rows] == [
        [name, architecture, release]
        for family, name in (("al2023", "AL2023"), ("bottlerocket", "Bottlerocket"))
        for architecture in ("x86_64", "arm64")
        for release in newest_first(family, "1.36")
    ]
    assert rows[-1][3] == "bottlerocket@v1.66.0"
    assert "left out" not in printed.out


def test_a_minor_without_images_is_told(listed):
    code, _, printed = listed("--kubernetes", "1.29")

    assert code == CommandError.code
    assert printed.err == (
        "AWS publishes no such image for Kubernetes 1.29 in this region: give another "
        "--kubernetes, for example 1.36.\n"
    )


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("AWS_REGION", "no region: give --region, or set AWS_REGION.\n"),
        ("AWS_ACCESS_KEY_ID", "Unable to locate credentials"),
    ],
)
def test_what_the_environment_lacks_is_told_without_a_traceback(listed, monkeypatch, setting, told):
    monkeypatch.delenv(setting)
    if setting == "AWS_ACCESS_KEY_ID":
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    code, _, printed = listed()

    assert code == CommandError.code
    assert told in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.parametrize(
    "wrong", [["--kubernetes", "35"], ["--family", "al2"], ["--arch", "amd64"], ["more"]]
)
def test_wrong_usage_is_told(listed, wrong):
    with pytest.raises(SystemExit) as ended:
        listed(*wrong)

    assert ended.value.code == USAGE
