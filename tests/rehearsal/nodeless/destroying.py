"""The destroy of the first life, as a record."""

from typing import NamedTuple

from rehearsal.account_things import Thing
from rehearsal.controllers import external_dns, load_balancer_controller
from rehearsal.engine import Outcome
from rehearsal.nodes_now import is_true
from tests.rehearsal.nodeless.load_balancing import SERVICE, records
from tests.rehearsal.nodeless.stage import KARPENTER, Stage, watching

CONTROLLERS = (load_balancer_controller.NAME, external_dns.NAME)


class Glimpse(NamedTuple):
    """What a watcher saw at one moment of the destroy, in this order."""

    claims: int
    karpenter: bool
    balancers: int
    records: frozenset[str]
    """Names of the page's records."""
    service: bool
    controllers: frozenset[str]
    """Those of AWS's controllers that have a pod which is ready."""


class End(NamedTuple):
    """The destroy, and what it left."""

    destroy: Outcome
    glimpses: list[Glimpse]
    left: list[Thing]
    record_types: set[str]
    """Of all that is in the zone."""


def destroy(stage: Stage) -> End:
    """Destroy it while somebody looks on."""
    with watching(Watcher(stage)) as glimpses:
        outcome = stage.engine.destroy()
    kinds = {kind for _, kind in records(stage.aws("route53"))}
    return End(outcome, glimpses, stage.left(), kinds)


class Watcher:
    """Looks at what must go before who takes it away; used by one thread."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.cluster = stage, stage.cluster
        self.elbv2, self.route53 = stage.aws("elbv2"), stage.aws("route53")

    def __call__(self) -> Glimpse:
        # A controller may only go after what it has to remove, so it is looked at later.
        return Glimpse(
            claims=len(self.stage.claims()),
            karpenter=self._exists(KARPENTER.path),
            balancers=len(self.elbv2.describe_load_balancers()["LoadBalancers"]),
            records=frozenset(name for name, _ in records(self.route53) if "kubeops" in name),
            service=self._exists(SERVICE),
            controllers=frozenset(name for name in CONTROLLERS if self._runs(name)),
        )

    def _exists(self, path: str) -> bool:
        try:
            self.cluster.get(path)
        except LookupError:
            return False
        return True

    def _runs(self, name: str) -> bool:
        pods = self.cluster.items(
            f"/api/v1/namespaces/kube-system/pods?labelSelector=app.kubernetes.io/name={name}"
        )
        return any(
            is_true(pod, "Ready") and "deletionTimestamp" not in pod["metadata"] for pod in pods
        )
