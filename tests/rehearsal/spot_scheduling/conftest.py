"""One control plane for all tests of this folder."""

from collections.abc import Iterator

import pytest

from rehearsal import control_plane, toolchain
from rehearsal.processes import Processes
from rehearsal.state import State
from tests.rehearsal.spot_scheduling.world import World


@pytest.fixture(scope="package")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Without nodes."""
    tools = toolchain.ensure([*toolchain.CLUSTER, "kubectl"])
    state = State(tmp_path_factory.mktemp("scheduling") / "state")
    state.create()
    try:
        started = control_plane.start(state, tools)
        state.remember({"apiServer": started.url, "aws": "", "region": "", "account": ""})
        yield World(state, tools["kubectl"])
    finally:
        Processes(state).stop()


@pytest.fixture
def world(plane: World) -> Iterator[World]:
    """It again has no nodes and no pods when the test is over."""
    yield plane
    plane.clear()
