"""Every image that this repository pins or gives as an example was published."""

import re
from pathlib import Path

import pytest

from components import compatibility
from frugal_eks.migrate import missing
from rehearsal.aws import images

ROOT = Path(__file__).parents[3]
FOLDERS = [
    "components",
    "docs",
    "eks_platform",
    "examples",
    "frugal_eks",
    "rehearsal",
    "stack_config",
    "stacks",
]
TEXTS = {".md", ".py", ".svg", ".yaml", ".json"}
PIN = re.compile(
    r"\b(?P<release>1\.\d\d\.\d{1,2}-(?:20\d{6}|[0-9a-f]{8}))\b"
    r"|\bal2023@v(?P<date>20\d{6})\b|\bbottlerocket@v?(?P<version>\d+\.\d+\.\d+)"
)


def published() -> set[str]:
    """Releases, dates of AL2023 and versions of Bottlerocket."""
    al2023 = [each for minor in images.releases().al2023.values() for each in minor]
    bottlerocket = [each for minor in images.releases().bottlerocket.values() for each in minor]
    dates = {each.rpartition("-")[2] for each in al2023}
    return {*al2023, *bottlerocket, *dates, *(each.partition("-")[0] for each in bottlerocket)}


@pytest.mark.feature("B-34")
@pytest.mark.parametrize("folder", [".", *FOLDERS])
def test_every_image_that_is_written_down_was_published(folder: str):
    paths = (ROOT / folder).glob("*" if folder == "." else "**/*")
    told = {
        (str(path.relative_to(ROOT)), pin)
        for path in paths
        if path.suffix in TEXTS and path.name != "CHANGELOG.md" and path.parent.name != "crds"
        for found in PIN.finditer(path.read_text())
        for pin in found.groups()
        if pin
    }

    assert {(path, pin) for path, pin in told if pin not in published()} == set()


def test_a_migration_has_a_pin_for_each_minor():
    assert set(missing.AL2023_RELEASES) == set(compatibility.KUBERNETES)


def test_no_release_is_of_a_sunday():
    """None of AWS's last 60 was; the invented one that the stacks once pinned would have been."""
    assert "20261101" not in published()
    assert "20260930" in published()
