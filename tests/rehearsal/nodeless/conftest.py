"""One rehearsal of two lives, each of which is played once for all tests that look at it."""

from collections.abc import Iterator

import pytest

from tests.rehearsal.nodeless import first_life, second_life
from tests.rehearsal.nodeless.stage import Stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Nothing that it starts outlives the tests."""
    opened = Stage(tmp_path_factory.mktemp("nodeless"))
    opened.rehearsal.start()
    try:
        yield opened
    finally:
        opened.rehearsal.stop()


@pytest.fixture(scope="session")
def first(stage: Stage) -> first_life.First:
    return first_life.play(stage)


@pytest.fixture(scope="session")
def second(stage: Stage, first: first_life.First) -> second_life.Second:
    """A stack of the same name in the account where the first has been."""
    assert first.end.destroy.succeeded
    try:
        return second_life.play(stage)
    finally:
        # Not at the session's end: other tests follow, on two cores.
        stage.rehearsal.stop()


@pytest.fixture
def mistaken(first):
    return first.mistaken


@pytest.fixture
def made(first):
    return first.made


@pytest.fixture
def page(first):
    return first.page


@pytest.fixture
def updates(first):
    return first.updates


@pytest.fixture
def load(first):
    return first.load


@pytest.fixture
def end(first):
    return first.end
