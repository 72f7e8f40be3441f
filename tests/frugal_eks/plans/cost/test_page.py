"""docs/cost.md."""

import json
import re

from frugal_eks import cli
from frugal_eks.plans.cost.prices import FOLDER
from tests.conftest import ROOT
from tests.docs.pages import blocks

PAGE = "docs/cost.md"


def test_the_table_of_the_page_is_what_the_command_prints(capsys):
    (shown,) = [block for block in blocks() if block.marker == "cost-of-spot"]

    cli.main(["cost", "spot"])

    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert shown.page == PAGE
    assert shown.text.splitlines() == printed[: len(shown.text.splitlines())]


def test_the_page_tells_how_much_of_the_list_was_read():
    content = json.loads((FOLDER / "eu-west-1.json").read_text())
    text = (ROOT / PAGE).read_text()

    listed = {
        name for each in content["onDemand"] if not each.get("reckoned") for name in each["usd"]
    }
    assert f"{len(listed)} types from copies" in text
    assert re.search(r"c families 0\.49, others 0\.55", text)
    assert [round(each["share"], 2) for each in content["spotShares"]] == [0.49, 0.55]
    assert len(content["spot"][0]["usd"]) == 6  # noqa: PLR2004
