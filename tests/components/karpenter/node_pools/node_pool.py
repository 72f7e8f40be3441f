"""Pools of the tests: as the file has them, as manifests, and what is said of mistakes."""

from pydantic import ValidationError

from components.karpenter.crd_rules import violations
from components.karpenter.node_pools import NodePoolConfig, node_pool_spec
from stack_config import mistakes


def config(**settings):
    """By the keys of the stack file. Its class is `default`, unless the settings choose one."""
    given = {"nodeClass": "default"} | settings
    return NodePoolConfig.model_validate(given, by_alias=True, by_name=False)


def spec(window=None, **settings):
    """The manifest's spec, if the API server would take it."""
    found = node_pool_spec(config(**settings), window)
    kind = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}}
    assert violations("NodePool", kind | {"spec": found}) == []
    return found


def required(**settings):
    """The requirements by their keys, of which each has one."""
    found = spec(**settings)["template"]["spec"]["requirements"]
    by_key = {each["key"]: each for each in found}
    assert len(by_key) == len(found)
    return by_key


def told(**settings):
    """All that is said of these settings, each as the user reads it."""
    try:
        config(**settings)
    except ValidationError as refused:
        found = [
            mistake
            for detail in mistakes.real(refused.errors())
            for mistake in mistakes.mistakes(detail, NodePoolConfig)
        ]
        return [mistakes.line(mistake).strip() for mistake in found]
    return []
