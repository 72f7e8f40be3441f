"""One rehearsal of the shipped consolidation stack, played once for all tests of this folder."""

import pytest

from tests.rehearsal.karpenter_rules import life
from tests.rehearsal.nodeless.stage import Stage


@pytest.fixture(scope="session")
def rules(tmp_path_factory: pytest.TempPathFactory) -> life.Rules:
    """It has ended before the tests begin."""
    stage = Stage(tmp_path_factory.mktemp("rules"), "consolidation")
    life.prepare(stage)
    try:
        stage.rehearsal.start()
        stage.engine.up()
        return life.play(stage)
    finally:
        stage.rehearsal.stop()
