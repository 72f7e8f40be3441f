"""Which pools there are, and which pods lie on their nodes when Karpenter begins to look."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.rehearsal.karpenter_rules.pools import HELD, MEDIUM, RULE, ZONE, Object, Pod, Pool

WHEN_EMPTY = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "2s"}
SOON, LATER = 5, 40
"""Seconds that an empty node waits."""
SIZES = ("large", "xlarge", "2xlarge", "4xlarge")
EXPIRE = 120
"""The same of a node with a pod, from its claim on."""
LARGE, SMALL = "c5.4xlarge", "c5.large"
TWICE = "c5.2xlarge"
MANY = [f"{family}.{size}" for family in ("c5", "c5a", "c6a", "c6i", "m5") for size in SIZES]
FEW = (MEDIUM, "c5.2xlarge", LARGE)
"""Fewer than the 15 types that a swap of spot for spot wants."""


def _window(opens: datetime) -> list[dict[str, Any]]:
    """No node may go for an hour from then on."""
    return [
        {"nodes": "100%"},
        {"nodes": "0", "schedule": f"{opens.minute} {opens.hour} * * *", "duration": "1h"},
    ]


def emptied() -> list[Pool]:
    """Each has a node that loses its only pod."""
    soon = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": f"{SOON}s"}
    window = _window(datetime.now(UTC) - timedelta(minutes=10))
    return [
        # The others' nodes have pods: this pool leaves them alone.
        Pool(name="calm", rules=("soon", "deleted", "room", "crowded"), disruption=soon),
        Pool(name="later", disruption={**soon, "consolidateAfter": f"{LATER}s"}),
        Pool(name="kept", disruption={"consolidateAfter": "Never"}, more={"expireAfter": "Never"}),
        Pool(name="shut", disruption={**soon, "budgets": window}),
    ]


SPOT = {"capacityTypes": ["spot"]}
SPOT_POOLS = [
    Pool(name="spot-many", types=MANY, more=SPOT),
    Pool(name="spot-few", types=FEW, more=SPOT),
]
"""A small pod is left on a node for a large one, as under the rule cheaper."""
FIRST = Pool(
    name="first",
    rules=("weights",),
    more={"weight": 10, "limits": {"cpu": "4"}, **SPOT},
)
SECOND = Pool(
    name="second", rules=("weights", "cheaper"), types=(MEDIUM, LARGE), more={"weight": 1}
)
"""Spot first, on-demand when the spot pool is full."""
EXPIRED = Pool(
    name="expired",
    disruption={**WHEN_EMPTY, "budgets": [{"nodes": "0"}]},
    more={"expireAfter": f"{EXPIRE}s"},
)
LIMITED = Pool(name="limited", disruption=WHEN_EMPTY, more={"limits": {"cpu": "4"}})
ONE = {"budgets": [{"nodes": "1"}]}
NOT_DRIFTED = {"budgets": [{"nodes": "1"}, {"nodes": "0", "reasons": ["Drifted"]}]}
OLD = Pool(name="old", disruption=NOT_DRIFTED)
PACKED = [
    # The dearest node a pod comes first. Those that stay are on the cheapest types: Karpenter takes
    # as many as go together, and one that stays would be in the way of all behind it.
    Pool(name="fewer", types=(TWICE,), disruption=ONE, more=SPOT),
    Pool(name="priority", disruption=ONE),
    OLD,
    Pool(name="one", disruption=ONE),
    Pool(name="loose", rules=("held", "apart", "guarded")),
    Pool(name="tight", rules=("attracted", "repelled", "spread"), types=(SMALL,)),
]
EMPTY = ("soon", "later", "kept", "shut")
"""Rules of nodes that lose their only pod."""
LARGER = ("cheaper", "spot-many", "spot-few")
"""Rules of nodes that lose the pod which they are made for."""
TOGETHER = tuple(rule for pool in PACKED for rule in pool.served)
"""Rules of nodes that are left to Karpenter in the second part."""
TWO_FAMILIES = {
    "key": "karpenter.k8s.aws/instance-family",
    "operator": "In",
    "values": ["c5", "m5"],
}
FIXED: Object = {
    "nodeClass": "default",
    "replicas": 2,
    "capacityTypes": ["on-demand"],
    "requirements": [
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [SMALL]}
    ],
    "labels": {RULE: "fixed"},
    "taints": [{"key": RULE, "value": "yes", "effect": "NoSchedule"}],
    "disruption": {"consolidateAfter": "2s"},
    "terminationGracePeriod": "20s",
}
"""Of the stack file: so many nodes whether there are pods for them or not."""


def _pods(*names: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": "pod", "operator": "In", "values": list(names)}]}


def _must(kind: str, *names: str) -> dict[str, Any]:
    """Be beside these pods, or not."""
    term = {"labelSelector": _pods(*names), "topologyKey": "kubernetes.io/hostname"}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def across_zones(*names: str) -> dict[str, Any]:
    """Pods of these names are never two in one zone while there is another zone."""
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": _pods(*names)}]}


def _friends(rule: str, **spec: Any) -> list[list[Pod]]:
    """Two pods on one node, and two nodes with room for one of them each."""
    cpu = "600m" if rule == "apart" else "300m"
    fill = "2800m" if rule == "apart" else "1200m"
    return [[Pod(name=f"{rule}-{n}", cpu=fill, annotations=HELD)] for n in ("left", "right")] + [
        [Pod(name=f"{rule}-{n}", cpu=cpu, spec=spec) for n in ("mine", "yours")]
    ]


LAYOUT: Mapping[str, Sequence[Sequence[Pod]]] = {
    "cheaper": [[Pod(name="cheaper-small")]],
    "spot-many": [[Pod(name="spot-many-small")]],
    "spot-few": [[Pod(name="spot-few-small")]],
    "deleted": [[Pod(name="deleted-guarded")]],
    "fewer": [
        [Pod(name="fewer-a"), Pod(name="fewer-b")],
        [Pod(name="fewer-alone")],
    ],
    # More pods, but all of them together matter less than the other.
    "priority": [
        [Pod(name="priority-usual")],
        [Pod(name=f"priority-low-{n}", spec={"priorityClassName": "low"}) for n in "ab"],
    ],
    # The first node is soon to expire; its pod matters a little more.
    "old": [
        [Pod(name="old-expiring", spec={"priorityClassName": "high"})],
        [Pod(name="old-fresh")],
    ],
    "held": [
        [Pod(name="held-pod", annotations=HELD)],
        [Pod(name="held-guest"), Pod(name="bare-pod", owned=False)],
    ],
    "apart": _friends("apart"),
    "attracted": _friends("attracted", **_must("podAffinity", "attracted-mine", "attracted-yours")),
    "repelled": [
        [Pod(name=name, spec=_must("podAntiAffinity", "repelled-a", "repelled-b"))]
        for name in ("repelled-a", "repelled-b")
    ],
    "spread": [
        [Pod(name=name, spec=across_zones("spread-a", "spread-b"))]
        for name in ("spread-a", "spread-b")
    ],
    "guarded": [
        [Pod(name="guarded-pod")],
        [Pod(name="guarded-guest"), Pod(name="guarded-friend")],
    ],
    "one": [[Pod(name=f"one-{n}")] for n in "abc"],
}
"""By pool: the pods of each of its nodes."""


def classes() -> list[Object]:
    """Priorities; a pod without one counts as 1, these as 0.4 and 1.05 (2^25 to the point)."""
    values = {"low": -20_000_000, "high": 1_677_721}
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in values.items()
    ]
