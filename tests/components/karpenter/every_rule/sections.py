"""A pool and a class of a stack file with one thing wrong: what the API server would say to it, and
what the user is told instead."""

import copy
import json
from functools import cache
from pathlib import Path

import yaml
from pydantic import ValidationError

import stack_config
from components.karpenter.config import KarpenterConfig
from components.karpenter.crd_rules import refusals
from stack_config import mistakes
from stack_config.rules.karpenter_objects import karpenter_objects_are_valid

STACKS = Path(__file__).parents[4] / "stacks"
PLACES = {"NodePool": "nodePools", "EC2NodeClass": "nodeClasses"}
_POOL = {"nodeClass": "default"}
_CLASS = {"amiAlias": "al2023@v20260930"}


def settings(kind, section):
    """The karpenter section with this pool or class, and a sound other one."""
    pools = {"default": section if kind == "NodePool" else _POOL}
    classes = {"default": section if kind == "EC2NodeClass" else _CLASS}
    return {"nodePools": pools, "nodeClasses": classes}


def told(kind, section):
    """What stack_config.load says: path below `karpenter.nodePools.default`, or of the class, the
    words, the value."""
    # Not by load.parsed, which makes a model anew for each file that is wrong: 30 ms.
    try:
        config = parsed(settings(kind, section))
    except ValidationError as refused:
        details = mistakes.real(refused.errors())
        found = [each for one in details for each in mistakes.mistakes(one, KarpenterConfig)]
    else:
        found = karpenter_objects_are_valid(sound().model_copy(update={"karpenter": config}))
    place = f"{PLACES[kind]}.default"
    return [
        (
            mistake.path.removeprefix("karpenter.").removeprefix(place).removeprefix("."),
            mistake.problem,
            mistake.value,
        )
        for mistake in found
    ]


def parsed(karpenter):
    """The karpenter section of a stack file. Raises ValidationError."""
    given = json.dumps(karpenter)
    return KarpenterConfig.model_validate_json(given, by_alias=True, by_name=False)


@cache
def sound(stack="nodeless"):
    """A shipped stack, parsed."""
    return stack_config.parsed(shipped(stack))


def shipped(stack="nodeless"):
    """Its settings."""
    config = yaml.safe_load((STACKS / f"Pulumi.{stack}.yaml").read_text())["config"]
    return {key.removeprefix("frugal-eks:"): value for key, value in config.items()}


def broken(kind, section):
    """What the API server would say to the object, were the section copied into it as it is."""
    group = "karpenter.sh" if kind == "NodePool" else "karpenter.k8s.aws"
    manifest = {
        "apiVersion": f"{group}/v1",
        "kind": kind,
        "metadata": {"name": "default"},
        "spec": spec(kind, section),
    }
    return refusals(kind, manifest)


def spec(kind, section):
    """The section as the spec of a manifest, value by value, whether right or wrong."""
    return _pool(section) if kind == "NodePool" else _class(section)


def _pool(section):
    copied = copy.deepcopy(section)
    name = copied.pop("nodeClass", "default")
    kind = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name}
    template = {"nodeClassRef": kind, "requirements": copied.pop("requirements", [])}
    for key in ("taints", "startupTaints", "expireAfter", "terminationGracePeriod"):
        if key in copied:
            template[key] = copied.pop(key)
    metadata = {key: copied.pop(key) for key in ("labels", "annotations") if key in copied}
    if isinstance(copied.get("disruption"), dict):
        copied["disruption"] = {"consolidateAfter": "1m"} | copied["disruption"]
    return copied | {"template": {"metadata": metadata, "spec": template}}


def _class(section):
    copied = copy.deepcopy(section)
    copied.pop("allowLatest", None)
    alias, volume = copied.pop("amiAlias", None), copied.pop("volume", None)
    if alias is not None:
        copied["amiSelectorTerms"] = [{"alias": alias}]
    if volume is not None:
        copied["blockDeviceMappings"] = [{"ebs": {"volumeSize": volume["size"]}}]
    term = [{"tags": {"karpenter.sh/discovery": "dev"}}]
    found = {"subnetSelectorTerms": term, "securityGroupSelectorTerms": term} | copied
    return found if {"role", "instanceProfile"} & found.keys() else found | {"role": "nodes"}
