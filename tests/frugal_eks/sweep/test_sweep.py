"""Every kind of thing with its decoys, in one account and one sweep."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from frugal_eks import cli
from frugal_eks.sweep.kinds import KINDS
from frugal_eks.sweep.ownership import NAMING_KEYS
from tests.frugal_eks.sweep.conftest import empty_account
from tests.frugal_eks.sweep.world import CLUSTER, LIFECYCLE, OTHER, OWNED, World

pytestmark = pytest.mark.feature("C-03")

WRITABLE = [key for key in NAMING_KEYS if not key.startswith("aws:")]  # those only AWS writes
OURS = (
    OWNED,
    {f"k8s.io/cluster/{CLUSTER}": "owned"},
    *({key: CLUSTER} for key in WRITABLE),
)
DECOYS = (
    {},
    {"Name": CLUSTER, "cluster": CLUSTER},
    {f"kubernetes.io/cluster/{OTHER}": "owned"},
    {f"{LIFECYCLE}-2": "owned"},
    {LIFECYCLE: "shared"},
    {LIFECYCLE: "shared", "elbv2.k8s.aws/cluster": CLUSTER},
    OWNED | {f"kubernetes.io/cluster/{OTHER}": "shared"},
    OWNED | {"eks:eks-cluster-name": OTHER},
    *({key: OTHER} for key in WRITABLE),
)
BY_TAGS = [kind.name for kind in KINDS if kind.name != "log group"]


class Swept(NamedTuple):
    """A sweep of an account that has everything, by what was there."""

    ours: dict[str, set[str]]
    decoys: dict[str, set[str]]
    after: set[str]
    code: int


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swept]:
    with empty_account(tmp_path_factory.mktemp("aws")):
        world = World()
        makers = world.makers
        decoys = {kind: {make(tags) for tags in DECOYS} for kind, make in makers.items()}
        ours = {kind: {make(tags) for tags in OURS} for kind, make in makers.items()}
        decoys["log group"] = {
            world.log_group(f"/aws/eks/{OTHER}/cluster"),
            world.log_group(f"/aws/eks/{CLUSTER}-2/cluster"),
            world.log_group(f"/aws/lambda/{CLUSTER}", OWNED),
            world.log_group(f"/aws/eks/{CLUSTER}/theirs", {"eks:eks-cluster-name": OTHER}),
        }
        ours["log group"] = {
            world.log_group(f"/aws/eks/{CLUSTER}/cluster"),
            world.log_group(f"/aws/eks/{CLUSTER}/fargate", OWNED),
        }
        everything = set().union(*ours.values(), *decoys.values())
        assert everything <= world.everything()
        code = cli.main(["sweep", "--cluster", CLUSTER, "--yes", "--volumes", "--wait", "0"])
        yield Swept(ours, decoys, world.everything(), code)


def test_every_kind_is_in_these_tests(swept: Swept):
    assert list(swept.ours) == [kind.name for kind in KINDS]


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_what_is_the_clusters_alone_goes(kind: str, swept: Swept):
    assert swept.ours[kind]
    assert not swept.ours[kind] & swept.after


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_what_is_anothers_shared_or_untagged_stays(kind: str, swept: Swept):
    assert swept.decoys[kind]
    assert swept.decoys[kind] <= swept.after


def test_decoys_are_nothing_that_is_left(swept: Swept):
    assert swept.code == 0
