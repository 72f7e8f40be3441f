"""Two rehearsals, each played once; they end before their tests begin."""

import pytest

from tests.rehearsal.variants import theirs
from tests.rehearsal.variants import west as west_life
from tests.rehearsal.variants.stage import opened


@pytest.fixture(scope="session")
def west(tmp_path_factory: pytest.TempPathFactory) -> west_life.Played:
    """A stack with everything turned the other way."""
    with opened(tmp_path_factory.mktemp("west"), "west", west_life.config()) as stage:
        return west_life.play(stage)


@pytest.fixture(scope="session")
def tenant(tmp_path_factory: pytest.TempPathFactory) -> theirs.Played:
    """Stacks in a network, and on a cluster, of somebody else."""
    with opened(tmp_path_factory.mktemp("tenant"), "tenant", theirs.TENANT) as stage:
        return theirs.play(stage)
