"""One rehearsal of the shipped consolidation stack, played once for all tests that look at it."""

import pytest
import yaml

from rehearsal.state import ROOT
from tests.rehearsal.consolidation import life as consolidation_life
from tests.rehearsal.variants.stage import opened

STACK_FILE = ROOT / "stacks" / "Pulumi.consolidation.yaml"


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> consolidation_life.Life:
    """It has ended before the tests begin."""
    config = yaml.safe_load(STACK_FILE.read_text())["config"]
    consolidation_life.hasten(config)
    with opened(tmp_path_factory.mktemp("consolidation"), "consolidation", config) as stage:
        return consolidation_life.play(stage)
