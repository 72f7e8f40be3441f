"""What the stand-in sends to change one setting of a living cluster, there and back."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from rehearsal.aws.eks_service.state import Eks
from tests.rehearsal.aws.provider.world import World

CLUSTER = "aws:eks/cluster:Cluster"
CONFIG = "UpdateClusterConfig"
OFFICE, HOME = "203.0.113.0/24", "198.51.100.7/32"
Sent = list[tuple[str, Any]]


class Change(NamedTuple):
    """One setting of a cluster, and what its change sends: operation and the setting's value."""

    before: dict[str, Any]
    after: dict[str, Any]
    there: Sent
    back: Sent


def endpoint(**access: Any) -> Sent:
    """One update of how the endpoint can be reached."""
    return [(CONFIG, {"resourcesVpcConfig": access})]


def log_types(*on: str) -> Sent:
    """One update that names every log type, those that are off too."""
    types = ("api", "audit", "authenticator", "controllerManager", "scheduler")
    setups = [([t for t in types if (t in on) is enabled], enabled) for enabled in (True, False)]
    named = [{"types": names, "enabled": enabled} for names, enabled in setups if names]
    return [(CONFIG, {"logging": {"clusterLogging": named}})]


PRIVATE = {"endpointPublicAccess": False, "endpointPrivateAccess": True}
PUBLIC = {"endpointPrivateAccess": True, "publicAccessCidrs": [OFFICE]}
CHANGES = {
    # The program leaves endpointPublicAccess away for true: the provider's default.
    "public or private": Change(
        {"vpcConfig": PRIVATE},
        {"vpcConfig": PUBLIC},
        endpoint(endpointPublicAccess=True, **PUBLIC),
        endpoint(**PRIVATE),
    ),
    "private too": Change(
        {"vpcConfig": PUBLIC},
        {"vpcConfig": PUBLIC | {"endpointPrivateAccess": False}},
        endpoint(endpointPublicAccess=True, **PUBLIC | {"endpointPrivateAccess": False}),
        endpoint(endpointPublicAccess=True, **PUBLIC),
    ),
    "who may connect": Change(
        {"vpcConfig": PUBLIC},
        {"vpcConfig": PUBLIC | {"publicAccessCidrs": [HOME, OFFICE]}},
        endpoint(
            endpointPublicAccess=True,
            endpointPrivateAccess=True,
            publicAccessCidrs=[HOME, OFFICE],
        ),
        endpoint(endpointPublicAccess=True, **PUBLIC),
    ),
    "logs": Change(
        {"enabledClusterLogTypes": ["audit", "authenticator"]},
        {"enabledClusterLogTypes": ["api"]},
        log_types("api"),
        log_types("audit", "authenticator"),
    ),
    "no logs": Change(
        {"enabledClusterLogTypes": ["audit"]},
        {"enabledClusterLogTypes": []},
        log_types(),
        log_types("audit"),
    ),
    "support": Change(
        {"upgradePolicy": {"supportType": "STANDARD"}},
        {"upgradePolicy": {"supportType": "EXTENDED"}},
        [(CONFIG, {"upgradePolicy": {"supportType": "EXTENDED"}})],
        [(CONFIG, {"upgradePolicy": {"supportType": "STANDARD"}})],
    ),
    "protection": Change(
        {"deletionProtection": False},
        {"deletionProtection": True},
        [(CONFIG, {"deletionProtection": True})],
        [(CONFIG, {"deletionProtection": False})],
    ),
    "tags": Change(
        {"tags": {"team": "a"}},
        {"tags": {"owner": "b"}},
        [("UntagResource", {"tagKeys": ["team"]}), ("TagResource", {"tags": {"owner": "b"}})],
        [("UntagResource", {"tagKeys": ["owner"]}), ("TagResource", {"tags": {"team": "a"}})],
    ),
}


@pytest.fixture
def sent(engine: Any, monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Each request of the stand-in that changes something, without whose it is."""
    heard: Sent = []
    account = engine.provider.account
    request = account.request

    def hear(service: str, operation: str, parameters: dict[str, Any]) -> Any:
        if not operation.startswith(("Describe", "List", "Get")):
            whose = {"name", "clusterName", "resourceArn"}
            heard.append((operation, {k: v for k, v in parameters.items() if k not in whose}))
        return request(service, operation, parameters)

    monkeypatch.setattr(account, "request", hear)
    return heard


def with_setting(inputs: dict[str, Any], setting: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a cluster, with one setting of the program's."""
    network = inputs["vpcConfig"] | setting.get("vpcConfig", {})
    return inputs | setting | {"vpcConfig": network}


@pytest.mark.parametrize("name", CHANGES)
def test_each_setting_is_changed_by_one_update_there_and_back(
    engine: Any, world: World, sent: Sent, name: str
):
    before, after, there, back = CHANGES[name]
    inputs = world.cluster_inputs()
    cluster = world.make(CLUSTER, with_setting(inputs, before))

    for setting, expected in ((after, there), (before, back)):
        sent.clear()
        cluster = engine.update(cluster, with_setting(inputs, setting))
        assert sent == expected
        assert not engine.diff(cluster, with_setting(inputs, setting)).diffs
    world.made[-1] = cluster


def test_settings_that_change_together_are_updates_one_after_the_other(
    engine: Any, world: World, sent: Sent
):
    inputs = world.cluster_inputs() | {"deletionProtection": True}
    cluster = world.make(CLUSTER, with_setting(inputs, {"vpcConfig": PUBLIC}))
    subnets = [*inputs["vpcConfig"]["subnetIds"], *world.subnets_beside(inputs)]

    sent.clear()
    changed = with_setting(inputs, {"vpcConfig": PRIVATE | {"subnetIds": subnets}}) | {
        "deletionProtection": False,
        "enabledClusterLogTypes": ["api"],
        "upgradePolicy": {"supportType": "EXTENDED"},
    }
    world.made.append(engine.update(cluster, changed))
    world.made.remove(cluster)

    # In the order of the real provider's update (tests/data/provider/eks.yaml, update_behaviour).
    kinds = [tuple(parameters) for _, parameters in sent]
    assert kinds == [
        ("deletionProtection",),
        ("logging",),
        ("upgradePolicy",),
        ("resourcesVpcConfig",),
        ("resourcesVpcConfig",),
    ]
    networks = [parameters["resourcesVpcConfig"] for _, parameters in sent[-2:]]
    assert networks == [PRIVATE, {"subnetIds": subnets}]


def test_encryption_comes_later_in_place_and_another_key_is_not_even_sent(
    engine: Any, world: World, sent: Sent
):
    first, second = world.key().state["arn"], world.key().state["arn"]
    inputs = world.cluster_inputs()
    cluster = world.make(CLUSTER, inputs)

    def encrypted(arn: str) -> dict[str, Any]:
        return inputs | {
            "encryptionConfig": {"provider": {"keyArn": arn}, "resources": ["secrets"]}
        }

    sent.clear()
    assert not engine.diff(cluster, encrypted(first)).replaces
    cluster = engine.update(cluster, encrypted(first))
    assert [operation for operation, _ in sent] == ["AssociateEncryptionConfig"]

    # The provider takes the change, does nothing about it, and finds it again in each preview.
    sent.clear()
    difference = engine.diff(cluster, encrypted(second))
    assert (list(difference.diffs), list(difference.replaces)) == (["encryptionConfig"], [])
    cluster = engine.update(cluster, encrypted(second))
    assert sent == []
    assert cluster.state["encryptionConfig"]["provider"]["keyArn"] == first
    assert list(engine.diff(cluster, encrypted(second)).diffs) == ["encryptionConfig"]

    assert list(engine.diff(cluster, inputs).replaces) == ["encryptionConfig"]
    world.made[-1] = cluster


@pytest.fixture
def slow(eks_state: Eks) -> Iterator[Callable[[float], None]]:
    """Takes the seconds that creating, updating and deleting take from now on."""
    before = eks_state.moment

    def set_moment(seconds: float) -> None:
        eks_state.moment = seconds

    yield set_moment
    eks_state.moment = before


@pytest.mark.behaviour("cluster-one-update-at-a-time")
def test_a_change_during_somebody_elses_update_is_refused(
    engine: Any, world: World, slow: Callable[[float], None]
):
    inputs = world.cluster_inputs()
    cluster = world.make(CLUSTER, inputs)
    slow(1.0)
    elsewhere = {"name": cluster.id, "upgradePolicy": {"supportType": "EXTENDED"}}
    engine.provider.account.request("eks", CONFIG, elsewhere)

    with pytest.raises(engine.Refusal) as refused:
        engine.update(cluster, inputs | {"deletionProtection": True})

    problem = f"because cluster {cluster.id} currently has an update in progress"
    assert "ResourceInUseException" in str(refused.value)
    assert problem in str(refused.value)


@pytest.mark.behaviour("cluster-delete-refused-while-attached-or-updating")
def test_a_deletion_waits_for_an_update_that_is_under_way(
    engine: Any, world: World, slow: Callable[[float], None]
):
    cluster = world.make(CLUSTER, world.cluster_inputs())
    slow(1.0)
    request = engine.provider.account.request
    elsewhere = {"name": cluster.id, "upgradePolicy": {"supportType": "EXTENDED"}}
    request("eks", CONFIG, elsewhere)

    engine.delete(world.made.pop(), timeout=10)

    assert request("eks", "ListClusters", {})["clusters"] == []
