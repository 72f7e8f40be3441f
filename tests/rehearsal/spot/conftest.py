"""One rehearsal of the shipped spot stack, played once for all tests that look at it."""

import pytest
import yaml

from rehearsal.state import ROOT
from tests.rehearsal.spot import life as spot_life
from tests.rehearsal.variants.stage import opened

STACK_FILE = ROOT / "stacks" / "Pulumi.spot.yaml"


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> spot_life.Life:
    """It has ended before the tests begin."""
    config = yaml.safe_load(STACK_FILE.read_text())["config"]
    with opened(tmp_path_factory.mktemp("spot"), "spot", config) as stage:
        return spot_life.play(stage, config)
