"""Maps a place in a manifest to the key of the stack file that produced it."""

from .crd_structure import PathParts
from .node_classes import NodeClassConfig
from .node_pools import NodePoolConfig
from .requirements import every_requirement, short_forms

_VOLUME = {"volumeSize": "size", "volumeType": "type"}
"""Fields of a volume that have another name in the short form."""


def pool_path(name: str, config: NodePoolConfig, parts: PathParts) -> str:
    """Path below `karpenter` for a place in a NodePool: `nodePools.default.taints[0].effect`."""
    match parts:
        case ("spec", "disruption", "budgets", int(index), *rest) if index >= len(
            config.disruption.budgets
        ):
            return _joined("disruptionWindow", *rest)
        case ("spec", "template", "spec", "nodeClassRef", *_):
            below: PathParts = ("nodeClass",)
        case ("spec", "template", "spec", "requirements", int(index), *rest):
            below = _requirement(config, index, rest)
        case ("spec", "template", "metadata" | "spec", *rest):
            below = tuple(rest)
        case ("spec", *rest):
            below = tuple(part for part in rest if part != "template")
        case _:
            below = ()
    return _joined("nodePools", name, *below)


def class_path(name: str, config: NodeClassConfig, parts: PathParts) -> str:
    """Path below `karpenter` for a place in an EC2NodeClass: `nodeClasses.default.volume.size`."""
    match parts:
        case ("spec", "amiSelectorTerms", *_) if config.ami_alias is not None:
            below: PathParts = ("amiAlias",)
        case ("spec", "blockDeviceMappings", *rest) if config.block_device_mappings is None:
            fields = [str(part) for part in rest[2:]]
            below = ("volume", *(_VOLUME.get(field, field) for field in fields))
        case ("spec", *rest):
            below = tuple(rest)
        case _:
            below = ()
    return _joined("nodeClasses", name, *below)


def _requirement(config: NodePoolConfig, index: int, rest: list[str | int]) -> PathParts:
    """Path below a pool for a requirement by its index: defaults and short forms come first, then
    the user's own.
    """
    every = every_requirement(config)
    own = index - (len(every) - len(config.requirements))
    if own >= 0:
        return ("requirements", own, *rest)
    names = [name for name, short in short_forms(config).items() if short.key == every[index].key]
    return (names[0] if names else "requirements",)


def _joined(*parts: str | int) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
