"""What an update of a managed node group sends: see tests/data/provider/eks.yaml."""

from typing import Any

import pytest

from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.eks_compute import NODE_GROUP

GROUP = {
    "clusterName": "spot",
    "nodeGroupName": "base",
    "version": "1.34",
    "releaseVersion": "1.34.2-20251209",
    "launchTemplate": {"id": "lt-1", "version": "1"},
    "scalingConfig": {"minSize": 1, "maxSize": 3, "desiredSize": 2},
    "labels": {"kept": "1", "gone": "1", "other": "1"},
    "taints": [
        {"key": "kept", "value": "1", "effect": "NO_SCHEDULE"},
        {"key": "gone", "value": "1", "effect": "NO_SCHEDULE"},
    ],
}
TEMPLATE = {"id": "lt-1", "version": "2"}
VERSION, CONFIG = "UpdateNodegroupVersion", "UpdateNodegroupConfig"


class Sent(Account):
    """An account that keeps the requests instead of sending them."""

    def __init__(self) -> None:
        super().__init__("eu-west-1", {})
        self.requests: list[tuple[str, dict[str, Any]]] = []

    def request(self, service: str, operation: str, parameters: Any) -> Any:  # noqa: ARG002
        self.requests.append((operation, dict(parameters)))
        return {"update": {"id": "u", "status": "Successful"}}


def sent(change: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The requests of an update, without the names of cluster and group."""
    account = Sent()
    running = Running(kind=NODE_GROUP, account=account, inputs=GROUP | change, old=GROUP)
    for step in running.due(set(change)):
        running.do(step)
    names = {"clusterName": "spot", "nodegroupName": "base"}
    assert all(names.items() <= request.items() for _, request in account.requests)
    return [
        (operation, {k: v for k, v in request.items() if k not in names})
        for operation, request in account.requests
    ]


@pytest.mark.parametrize(
    ("change", "requests"),
    [
        pytest.param(
            {"launchTemplate": TEMPLATE},
            [(VERSION, {"force": False, "launchTemplate": TEMPLATE})],
            id="a new version of the template drops the pinned release and version",
        ),
        pytest.param(
            {"releaseVersion": "1.34.4-20260114", "forceUpdateVersion": True},
            [
                (
                    VERSION,
                    {
                        "force": True,
                        "releaseVersion": "1.34.4-20260114",
                        "launchTemplate": GROUP["launchTemplate"],
                    },
                )
            ],
            id="a new release goes with the template and without the version",
        ),
        pytest.param(
            {"version": "1.35", "launchTemplate": None},
            [(VERSION, {"force": False, "version": "1.35"})],
            id="a new version goes without the release",
        ),
        pytest.param(
            {"scalingConfig": {"minSize": 1, "maxSize": 5, "desiredSize": 2}},
            [(CONFIG, {"scalingConfig": {"minSize": 1, "maxSize": 5, "desiredSize": 2}})],
            id="min, max and desired go together",
        ),
        pytest.param(
            {
                "labels": {"kept": "1", "other": "2", "new": "1"},
                "taints": [
                    {"key": "kept", "value": "2", "effect": "NO_SCHEDULE"},
                    {"key": "gone", "value": "1", "effect": "NO_EXECUTE"},
                ],
            },
            [
                (
                    CONFIG,
                    {
                        "labels": {
                            "addOrUpdateLabels": {"other": "2", "new": "1"},
                            "removeLabels": ["gone"],
                        },
                        "taints": {
                            "addOrUpdateTaints": [
                                {"key": "kept", "value": "2", "effect": "NO_SCHEDULE"},
                                {"key": "gone", "value": "1", "effect": "NO_EXECUTE"},
                            ],
                            "removeTaints": [
                                {"key": "gone", "value": "1", "effect": "NO_SCHEDULE"}
                            ],
                        },
                    },
                )
            ],
            id="labels and taints go as what to add and what to remove",
        ),
        pytest.param({"forceUpdateVersion": True}, [], id="force alone calls nothing"),
    ],
)
def test_an_update_sends_what_the_real_provider_sends(
    change: dict[str, Any], requests: list[tuple[str, dict[str, Any]]]
):
    assert sent(change) == requests


def test_the_version_is_updated_before_the_configuration():
    assert [operation for operation, _ in sent({"labels": {}, "version": "1.35"})] == [
        VERSION,
        CONFIG,
    ]


@pytest.mark.parametrize(
    ("old", "new", "replaces"),
    [
        ({"id": "lt-1", "version": "1"}, {"id": "lt-1", "version": "2"}, False),
        ({"id": "lt-1", "version": "1"}, {"id": "lt-2", "version": "1"}, True),
        ({"name": "a", "version": "1"}, {"name": "b", "version": "1"}, True),
    ],
)
def test_another_template_replaces_the_group_and_another_version_of_it_does_not(
    old: dict[str, str], new: dict[str, str], *, replaces: bool
):
    replaces_when = NODE_GROUP.properties["launchTemplate"].replaces_when

    assert replaces_when
    assert replaces_when(old, new) == replaces
