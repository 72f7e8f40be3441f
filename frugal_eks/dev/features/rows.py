"""Reads `features.md`: one row of its tables is one feature that some test has to prove."""

import re
from pathlib import Path
from typing import NamedTuple

FEATURES = Path(__file__).parent / "features.md"

_ROW = re.compile(r"^\| *(?P<id>[A-Z]\d?-\d{2}) *\|(?P<cells>.*)\| *$")
_NOT_OFFLINE = re.compile(r"not offline: *(?P<what>[^;]*)")


class Row(NamedTuple):
    """A feature: what must be true, and the least kind of test that counts for it."""

    id: str
    sentence: str
    check: str

    @property
    def group(self) -> str:
        """The table it stands in: `A2` of `A2-01`, `B` of `B-07`."""
        return self.id.partition("-")[0]

    @property
    def not_offline(self) -> str | None:
        """What no test on one machine can show, or None if all of the row can be shown."""
        found = _NOT_OFFLINE.search(self.check)
        return found["what"].strip() if found else None


class FeaturesFileError(ValueError):
    """The file is not the table that it should be; the message says which line and what to do."""


def read(path: Path = FEATURES) -> list[Row]:
    """Every row of the file, in its order.

    Raises FeaturesFileError if there is none, if one has not four cells, or if an id is used twice.
    """
    rows: dict[str, Row] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not (found := _ROW.match(line)):
            continue
        cells = [cell.strip() for cell in found["cells"].split("|")]
        if len(cells) != 3:  # noqa: PLR2004 - sentence, seed, check
            raise FeaturesFileError(
                f"{path.name}:{number}: {found['id']} has {len(cells) + 1} cells,"
                " write four: id, feature, seed, how it can be checked"
            )
        if found["id"] in rows:
            raise FeaturesFileError(
                f"{path.name}:{number}: {found['id']} is there twice, give one of them another id"
            )
        sentence, _, check = cells
        rows[found["id"]] = Row(found["id"], sentence, check)
    if not rows:
        raise FeaturesFileError(f"{path.name}: no row like `| A0-01 | … | … | … |` was found")
    return list(rows.values())
