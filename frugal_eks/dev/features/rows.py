"""Reads `features.md`, whose table rows are features that tests must prove."""

import re
from pathlib import Path
from typing import NamedTuple

FEATURES = Path(__file__).parent / "features.md"

_ROW = re.compile(r"^\| *(?P<id>[A-Z]\d?-\d{2}) *\|(?P<cells>.*)\| *$")
_NOT_OFFLINE = re.compile(r"not offline: *(?P<what>[^;]*)")


class Row(NamedTuple):
    """A feature: what must be true, and the weakest kind of test that proves it."""

    id: str
    sentence: str
    check: str

    @property
    def group(self) -> str:
        """Table of the row: `A2` of `A2-01`, `B` of `B-07`."""
        return self.id.partition("-")[0]

    @property
    def not_offline(self) -> str | None:
        """Part that no test on one machine can show; None if there is none."""
        match = _NOT_OFFLINE.search(self.check)
        return match["what"].strip() if match else None


class FeaturesFileError(ValueError):
    """Why features.md cannot be read: the line, and what to do."""


def read(path: Path = FEATURES) -> list[Row]:
    """All rows of the file, in order.
    Raises FeaturesFileError if there is none, if a row does not have four cells, or if an id is
    used twice.
    """
    rows: dict[str, Row] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not (match := _ROW.match(line)):
            continue
        cells = [cell.strip() for cell in match["cells"].split("|")]
        if len(cells) != 3:  # noqa: PLR2004 - sentence, seed, check
            raise FeaturesFileError(
                f"{path.name}:{number}: {match['id']} has {len(cells) + 1} cells,"
                " write four: id, feature, seed, how it can be checked"
            )
        if match["id"] in rows:
            raise FeaturesFileError(
                f"{path.name}:{number}: {match['id']} is there twice, give one of them another id"
            )
        sentence, _, check = cells
        rows[match["id"]] = Row(match["id"], sentence, check)
    if not rows:
        raise FeaturesFileError(f"{path.name}: no row like `| A0-01 | … | … | … |` was found")
    return list(rows.values())
