"""Rules about protection from deletion."""

from collections.abc import Iterator

from frugal_eks.plans.policy.reading import is_off
from frugal_eks.plans.policy.rule import ResourceRule, Settings
from frugal_eks.plans.policy.rules.access import CLUSTER
from frugal_eks.plans.previews import Resource

_SWITCHES = {
    "aws:dynamodb/table:Table": "deletionProtectionEnabled",
    CLUSTER: "deletionProtection",
    "aws:rds/cluster:Cluster": "deletionProtection",
    "aws:rds/instance:Instance": "deletionProtection",
}


def _unprotected(resource: Resource, _settings: Settings) -> Iterator[str]:
    switch = _SWITCHES.get(resource.type)
    if switch and not resource.protect and is_off(resource.inputs.get(switch)):
        yield f"{switch} is not true"


RULES = (
    ResourceRule(
        name="deletion-protection",
        level="advisory",
        reason="A policy pack is not asked about deletions: what must stay has to say so itself.",
        remedy="set it to true (`cluster.deletionProtection`), or protect the resource",
        check=_unprotected,
    ),
)
