"""Node classes of the tests: as the file has them, as manifests, and what is said of mistakes."""

from pydantic import ValidationError

from components.karpenter.crd_rules import violations
from components.karpenter.node_classes import NodeClassConfig, node_class_spec
from stack_config.mistakes import real

AMI = "al2023@v20260930"
ROLE = "KarpenterNodeRole-dev"


def config(**settings):
    """By the keys of the stack file. AWS's image for AL2023, unless the settings choose one."""
    image = {} if {"amiAlias", "amiSelectorTerms"} & settings.keys() else {"amiAlias": AMI}
    return NodeClassConfig.model_validate(image | settings, by_alias=True, by_name=False)


def spec(stack=None, **settings):
    """The manifest's spec, if the API server would take it; `stack`: what the stack hands over."""
    ours = {"cluster": "dev", "role": ROLE, "instance_profile": None}
    found = node_class_spec(config(**settings), **ours | (stack or {}))
    kind = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass"}
    assert violations("EC2NodeClass", kind | {"metadata": {"name": "default"}, "spec": found}) == []
    return found


def told(**settings):
    """Each mistake in these settings, by its place: what is said of it."""
    try:
        config(**settings)
    except ValidationError as refused:
        return dict(_mistakes(refused))
    return {}


def _mistakes(refused):
    for error in real(refused.errors()):
        place = ".".join(str(part) for part in error["loc"])
        if error["type"] != "rules":
            yield place, error["msg"]
        for path, problem, _ in error.get("ctx", {}).get("mistakes", ()):
            yield ".".join(filter(None, (place, path))), problem
