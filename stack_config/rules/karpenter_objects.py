"""Checks the Karpenter objects of a stack file by Karpenter's CRDs, before anything is sent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from components.karpenter.crd_cel import narrowed
from components.karpenter.crd_rules import refusals
from components.karpenter.crd_structure import PathParts, Refusal
from components.karpenter.manifest_paths import class_path, pool_path
from components.karpenter.manifests import manifest
from components.karpenter.node_classes import node_class_spec
from components.karpenter.node_pools import node_pool_spec
from components.section import Mistake
from stack_config.model import StackConfig

_NODE_IDENTITY = "karpenter-node"
"""Placeholder for the names of role and instance profile, which Pulumi chooses later."""

# By the beginning of what the API server says; its other words say what to do themselves.
_REMEDIES = {
    "label ": "Karpenter sets it, or knows no such label: drop it, or choose a key of your own",
    "must be at most": "correct or drop it",
    "must be an integer": "write it as text, in quotes",
    "must be of type": "write it in this form",
    "must consist": "give it another name",
    "must have at most": "take some away",
    "must not name": "drop one",
    "may not be more": "shorten it",
    "has a key": "correct or drop it",
    "should be at least": "lengthen it",
    "should be greater": "raise it",
    "should be less": "lower it",
    "should have at least": "add what is missing",
    "should match": "write it in this form",
    "required value": "add it",
    "supported values": "choose one of these",
}


def karpenter_objects_are_valid(config: StackConfig) -> Iterator[Mistake]:
    """The API server must accept each node pool and node class."""
    reported: set[Mistake] = set()
    for path_of, refused in _checked(config):
        for refusal in refused:
            path = f"karpenter.{path_of(refusal.parts)}"
            shown = None if isinstance(refusal.value, dict | list) else refusal.value
            mistake = Mistake(path, _problem(refusal.message), shown)
            # A window for all pools is part of each, and wrong in all of them.
            if mistake not in reported:
                yield mistake
            reported.add(mistake)


def _checked(
    config: StackConfig,
) -> Iterator[tuple[Callable[[PathParts], str], Sequence[Refusal]]]:
    """For each object a function that maps its paths to the stack file, and what is refused."""
    karpenter = config.karpenter
    if karpenter is None:
        return
    own_profile = karpenter.own_instance_profile
    for name, node_class in karpenter.node_classes.items():
        spec = node_class_spec(
            node_class,
            cluster=config.cluster_name,
            role=None if own_profile else _NODE_IDENTITY,
            instance_profile=_NODE_IDENTITY if own_profile else None,
        )
        yield partial(class_path, name, node_class), _refusals("EC2NodeClass", name, spec)
    window = karpenter.disruption_window
    for name, pool in karpenter.node_pools.items():
        spec = node_pool_spec(pool, window)
        yield partial(pool_path, name, pool), _refusals("NodePool", name, spec)


def _refusals(kind: str, name: str, spec: Mapping[str, Any]) -> Sequence[Refusal]:
    refused = refusals(kind, manifest(kind, name, spec))
    return [each for refusal in refused for each in narrowed(refusal)]


def _problem(words: str) -> str:
    remedy = next((text for begin, text in _REMEDIES.items() if words.startswith(begin)), None)
    return f"{words}: {remedy}" if remedy else words
