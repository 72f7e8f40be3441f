"""Images of AWS that the aliases of node classes must lead to."""

from collections.abc import Iterable, Sequence
from typing import cast

from ..ec2.image_releases import FAMILY_NAMES, ImageFamily, ImagePin, ImageSeries
from ..ec2.instance_types import Architecture
from ..ec2.label_rules import LabelRule, rules_of
from ..ec2.labels import ARCHITECTURE
from .node_classes import NodeClassConfig
from .node_classes.images import LATEST
from .node_pools import NodePoolConfig
from .requirements import requirements

_ARCHITECTURES: dict[str, Architecture] = {"amd64": "x86_64", "arm64": "arm64"}
"""Architecture as image names spell it, by the value of the node's label."""


def image_pins(
    name: str, node_class: NodeClassConfig, pools: Iterable[NodePoolConfig], *, kubernetes: str
) -> Sequence[ImagePin]:
    """Images that a class's alias must lead to: one for each architecture of its pools.

    Karpenter itself accepts an alias that leads to one image, and then launches no node of the
    other architecture. Empty if no alias is pinned. `kubernetes` is the cluster's minor version.
    """
    (image, *_) = node_class.images
    word, _, release = (image.alias or "").partition("@")
    if word not in FAMILY_NAMES or release == LATEST:
        return ()
    key = "amiAlias" if node_class.ami_alias else "amiSelectorTerms[0].alias"
    return [
        ImagePin(
            key=f"karpenter.nodeClasses.{name}.{key}",
            value=f"{word}@{release}",
            series=ImageSeries(
                family=cast("ImageFamily", word), architecture=architecture, kubernetes=kubernetes
            ),
        )
        for architecture in _architectures(pools)
    ]


def _architectures(pools: Iterable[NodePoolConfig]) -> Sequence[Architecture]:
    """Architectures that any pool of the class may launch; both if the class has no pool."""
    rules = [
        rules_of(requirements(pool), pool.labels).get(ARCHITECTURE, LabelRule(others=True))
        for pool in pools
    ]
    return [
        architecture
        for label, architecture in _ARCHITECTURES.items()
        if not rules or any(rule.allows(label) for rule in rules)
    ]
