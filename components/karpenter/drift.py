"""Which changes of a node class or a node pool replace running nodes.

Karpenter 1.14 puts a hash of the node class and of the pool's template on every node, and replaces
a node whose hash differs from the present one, whatever the change. Fields that its Go types mark
`hash:"ignore"` are compared node by node instead; the rest of a pool's spec concerns future nodes
only. The order of a list does not affect the hash. A controller that is rolled out with another CA
of the cluster replaces all nodes too.

Source: pkg/apis/v1/ec2nodeclass.go and pkg/cloudprovider/drift.go of karpenter-provider-aws 1.14.1,
pkg/apis/v1/nodepool.go and pkg/controllers/nodeclaim/disruption/drift.go of karpenter 1.14.1.
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum


class Rolls(Enum):
    """How many nodes a change replaces, one after the other, within the budgets of their pools."""

    NONE = 0
    SOME = 1
    """Karpenter replaces the nodes that no longer fit: often none, sometimes all."""
    ALL = 2


_WORDS = {
    Rolls.NONE: "",
    Rolls.SOME: "may replace nodes of it",
    Rolls.ALL: "replaces every node of it",
}

_OBJECT: Mapping[str, Rolls] = {
    "apiVersion": Rolls.NONE,
    "kind": Rolls.NONE,
    "metadata": Rolls.NONE,
    # Another object takes the place of this one, whose nodes go with it.
    "metadata.name": Rolls.ALL,
    "status": Rolls.NONE,
}

_EC2_NODE_CLASS: Mapping[str, Rolls] = _OBJECT | {
    # A node's image, subnet or reservation is no longer among those found; of security groups it
    # is enough that one more or one less is found.
    "spec.amiSelectorTerms": Rolls.SOME,
    # It is the only term, and no two releases share an image.
    "spec.amiSelectorTerms.alias": Rolls.ALL,
    "spec.subnetSelectorTerms": Rolls.SOME,
    "spec.securityGroupSelectorTerms": Rolls.SOME,
    "spec.capacityReservationSelectorTerms": Rolls.SOME,
    # Nothing, where it only says what the alias says; everything, where it says another.
    "spec.amiFamily": Rolls.SOME,
    "spec.ipPrefixCount": Rolls.NONE,
    "spec.associatePublicIPAddress": Rolls.ALL,
    "spec.blockDeviceMappings": Rolls.ALL,
    "spec.connectionTracking": Rolls.ALL,
    "spec.context": Rolls.ALL,
    "spec.cpuOptions": Rolls.ALL,
    "spec.detailedMonitoring": Rolls.ALL,
    "spec.instanceProfile": Rolls.ALL,
    "spec.instanceStorePolicy": Rolls.ALL,
    "spec.kubelet": Rolls.ALL,
    "spec.metadataOptions": Rolls.ALL,
    "spec.networkInterfaces": Rolls.ALL,
    "spec.placementGroupSelector": Rolls.ALL,
    "spec.role": Rolls.ALL,
    "spec.tags": Rolls.ALL,
    "spec.userData": Rolls.ALL,
}

_NODE_POOL: Mapping[str, Rolls] = _OBJECT | {
    "spec.disruption": Rolls.NONE,
    "spec.limits": Rolls.NONE,
    # Nodes are added or taken away, and none is replaced.
    "spec.replicas": Rolls.NONE,
    "spec.weight": Rolls.NONE,
    "spec.template.metadata": Rolls.ALL,
    "spec.template.spec.expireAfter": Rolls.ALL,
    "spec.template.spec.nodeClassRef": Rolls.ALL,
    # A node stays if its labels still fit.
    "spec.template.spec.requirements": Rolls.SOME,
    "spec.template.spec.startupTaints": Rolls.ALL,
    "spec.template.spec.taints": Rolls.ALL,
    "spec.template.spec.terminationGracePeriod": Rolls.ALL,
}

TABLES: Mapping[str, Mapping[str, Rolls]] = {
    "EC2NodeClass": _EC2_NODE_CLASS,
    "NodePool": _NODE_POOL,
}
"""Effect of a change by kind and field; it applies to everything below the field. Fields have no
list indices.
"""

# What stands in brackets is an index of a list or a key of a map, and may hold dots.
_BRACKETS = re.compile(r"\[(?:\d+|\"(?:[^\"\\]|\\.)*\")\]")


def rolls(kind: str, path: str) -> Rolls:
    """Effect of a change at this path of the manifest on running nodes.

    `path` comes from a detailed diff: `spec.template.spec.taints[0].effect`, `spec.tags["a.b/c"]`.
    Raises LookupError for a kind without nodes, or a field that the kind does not have.
    """
    table = TABLES[kind]
    field = _BRACKETS.sub("", path)
    below = {answer for known, answer in table.items() if known.startswith(f"{field}.")}
    if field in table:
        return table[field]
    if below:
        # The whole of several fields: certain only where they agree.
        return below.pop() if len(below) == 1 else Rolls.SOME
    for known, answer in table.items():
        if field.startswith(f"{known}."):
            return answer
    raise LookupError(f"{kind} has no field {path}: correct the path, or add it to TABLES")


def rolling(resource_type: str, changed_paths: Iterable[str]) -> str:
    """Effect of a change of a resource on nodes, in words; empty if it replaces none.

    `resource_type` is Pulumi's token, `kubernetes:karpenter.sh/v1:NodePool`.
    """
    package, _, kind = resource_type.rpartition(":")
    if kind not in TABLES or not package.startswith("kubernetes:karpenter."):
        return ""
    answers = [rolls(kind, path) for path in changed_paths if not path.startswith("__")]
    return _WORDS[max(answers, default=Rolls.NONE, key=lambda answer: answer.value)]
