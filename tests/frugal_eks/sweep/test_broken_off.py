"""A sweep for what an `up` that was broken off left, beside what others made and the state has."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from moto.ec2.models.nat_gateways import NatGatewayBackend

from frugal_eks.errors import CommandError
from rehearsal.aws import moto_gateways
from tests.frugal_eks.sweep.conftest import Ran
from tests.frugal_eks.sweep.world import OTHER_REGION, OWNED, World

pytestmark = pytest.mark.feature("C-03")

Sweep = Callable[..., Ran]


@pytest.fixture
def state(tmp_path: Path) -> Callable[..., str]:
    """Write a state with these ids, as `pulumi stack export` does; the file."""

    def write(*ids: str) -> str:
        resources = [{"urn": f"urn:{id}", "id": id} for id in ids]
        component = {"urn": "urn:component"}
        file = tmp_path / "state.json"
        file.write_text(json.dumps({"deployment": {"resources": [component, *resources]}}))
        return str(file)

    return write


def test_what_others_made_stays_while_the_cluster_lives_though_no_state_has_it(
    world: World, sweep: Sweep, state: Callable[..., str]
):
    provider = world.oidc_provider(OWNED)
    others = {world.instance(OWNED), world.interface(OWNED), world.volume(OWNED)}
    world.control_plane()

    ran = sweep("--state", state(provider), "--yes", "--volumes")

    assert ran.code == 0
    assert "the stack's state has it: `pulumi destroy` removes it" in ran.out
    assert {provider, *others} <= world.everything()


@pytest.fixture
def lets_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unlike AWS, moto keeps the address of a NAT gateway that is deleted in use."""
    monkeypatch.setattr(NatGatewayBackend, "delete_nat_gateway", moto_gateways.delete)


@pytest.mark.usefixtures("lets_go")
def test_an_address_goes_with_the_gateway_that_has_it(world: World, sweep: Sweep):
    address = world.address(OWNED)
    gateway = world.nat_gateway(OWNED, address)

    assert sweep("--yes").code == 0
    assert not world.everything() & {address, gateway}


@pytest.mark.behaviour("oidc-provider-already-exists")
def test_a_provider_of_the_same_cluster_in_another_region_stays(world: World, sweep: Sweep):
    elsewhere = world.oidc_provider(OWNED, OTHER_REGION)

    assert sweep("--yes").code == 0
    assert elsewhere in world.everything()


@pytest.mark.parametrize("text", ["", "[]", "{}", None])
def test_a_file_that_is_no_state_changes_nothing(
    text: str | None, world: World, sweep: Sweep, tmp_path: Path
):
    left = world.address(OWNED)
    file = tmp_path / "state.json"
    if text is not None:
        file.write_text(text)

    ran = sweep("--state", str(file), "--yes")

    assert ran.code == CommandError.code
    assert f"Nothing was changed: {file} is no exported state" in ran.err
    assert "`pulumi stack export --file state.json`" in ran.err
    assert left in world.everything()
