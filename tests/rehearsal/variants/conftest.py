"""Two rehearsals, each played once; they end before their tests begin."""

import pytest

from tests.rehearsal.variants import broken_off, theirs
from tests.rehearsal.variants import west as west_life
from tests.rehearsal.variants.stage import opened


@pytest.fixture(scope="session")
def west(tmp_path_factory: pytest.TempPathFactory) -> west_life.Played:
    """A stack with everything turned the other way."""
    with opened(tmp_path_factory.mktemp("west"), "west", west_life.config()) as stage:
        return west_life.play(stage)


@pytest.fixture(scope="session")
def two_tenants(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[theirs.Played, broken_off.Played]:
    """Two lives in one account, one after the other."""
    with opened(tmp_path_factory.mktemp("tenant"), "tenant", theirs.TENANT) as stage:
        return theirs.play(stage), broken_off.play(stage)


@pytest.fixture(scope="session")
def tenant(two_tenants: tuple[theirs.Played, broken_off.Played]) -> theirs.Played:
    """Stacks in a network, and on a cluster, of somebody else."""
    return two_tenants[0]


@pytest.fixture(scope="session")
def broken(two_tenants: tuple[theirs.Played, broken_off.Played]) -> broken_off.Played:
    """A stack whose first `up` is killed."""
    return two_tenants[1]
