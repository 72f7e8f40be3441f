"""Fixtures: what upstream says, and what is deployed, for tests of components and the platform."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import stack_config
from components.addons import user_values
from components.location import Location
from eks_platform import Platform, PlatformArgs

DATA = Path(__file__).parents[0] / "data"
TEMPLATE = DATA / "karpenter-1.14.1-cloudformation.yaml"

# A deployment is only read once it is recorded, so that tests may share it.
_BUILT: dict[tuple[str, bool], Any] = {}

NODE_ROLE, QUEUE = "arn of the node role", "arn of the queue"


@lru_cache
def template(location: Location, cluster: str) -> dict[str, Any]:
    """The resources of upstream's CloudFormation template, as CloudFormation would resolve them.

    The ARNs of the resources that it makes itself are `NODE_ROLE` and `QUEUE`.
    """
    values = {
        "ClusterName": cluster,
        "AWS::Partition": location.partition,
        "AWS::Region": location.region,
        "AWS::AccountId": location.account,
        "AWS::URLSuffix": location.dns_suffix,
        "KarpenterNodeRole.Arn": NODE_ROLE,
        "KarpenterInterruptionQueue.Arn": QUEUE,
    }

    class Loader(yaml.SafeLoader):
        pass

    def substituted(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
        text = loader.construct_scalar(node)
        for name, value in values.items():
            text = text.replace(f"${{{name}}}", value)
        assert "${" not in text, text
        return text

    Loader.add_constructor("!Sub", substituted)
    Loader.add_constructor("!GetAtt", lambda loader, node: values[loader.construct_scalar(node)])
    Loader.add_constructor("!Ref", lambda loader, node: loader.construct_scalar(node))
    return yaml.load(TEMPLATE.read_text(), Loader)["Resources"]


@pytest.fixture
def upstream() -> Callable[[Location, str], dict[str, Any]]:
    """Upstream's resources for a location and a cluster's name."""
    return template


@lru_cache
def values_of(chart: str) -> dict[str, Any]:
    """What the chart itself says of its values, with those that only its templates read."""
    if user_values.folder(chart).exists():
        return dict(user_values.of_chart(chart))
    return yaml.safe_load((DATA / "charts" / chart / "values.yaml").read_text())


def kind(value: Any) -> type:
    """What YAML calls it; the engine's numbers are all alike."""
    return float if type(value) is int else type(value)


def problems(own: Mapping[str, Any], upstream: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Keys that the chart does not have, and values of another type than the chart's own.

    An empty mapping of the chart takes any keys, a null of it any value.
    """
    for key, value in own.items():
        at = f"{path}.{key}" if path else key
        if key not in upstream:
            yield at
        elif isinstance(value, dict) and upstream[key]:
            yield from problems(value, upstream[key], at)
        elif upstream[key] is not None and kind(value) != kind(upstream[key]):
            yield f"{at}: {value!r} for {upstream[key]!r}"


@pytest.fixture
def upstream_values() -> Callable[[str], dict[str, Any]]:
    """A chart's own values, by the chart's name."""
    return values_of


@pytest.fixture
def unknown() -> Callable[[Mapping[str, Any], str], list[str]]:
    """What of our values the chart of this name does not know: Helm ignores it silently."""
    return lambda own, chart: list(problems(own, values_of(chart)))


@pytest.fixture
def platform(deploy, account, stack_file) -> Callable[..., Any]:
    """The whole platform of the stack file `nodeless`, each of its variants built once."""

    def build(changes: Mapping[str, Any] | None = None, *, preview: bool = False) -> Any:
        """`changes` are sections by their keys in the file; None takes a section away."""
        key = json.dumps(changes), preview
        if key not in _BUILT:
            shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
            sections = shipped | dict(changes or {})
            config = stack_config.parsed({k: v for k, v in sections.items() if v is not None})
            assert isinstance(config, stack_config.StackConfig), config
            args = PlatformArgs(config=config)
            _BUILT[key] = deploy(lambda: Platform("platform", args), account, preview=preview)
        return _BUILT[key]

    return build


@pytest.fixture
def another(platform, stack_file) -> Any:
    """A platform for which the stack file says everything in another way."""
    subnets = ["subnet-0aaaaaaa", "subnet-0bbbbbbb"]
    changes = {
        "aws:region": "ap-northeast-2",
        "cluster": stack_file("nodeless")["frugal-eks:cluster"]
        | {"name": "seoul", "version": "1.34"},
        "network": {"vpcId": "vpc-0123456789abcdef0", "privateSubnetIds": subnets},
        "eksAddons": {
            "vpcCni": {"preserve": False},
            "kubeProxy": {"preserve": True},
            "coredns": {"resolveConflictsOnUpdate": "PRESERVE"},
            "podIdentityAgent": {"resolveConflictsOnCreate": "NONE"},
        },
        "fargate": {
            "profiles": {
                "batch": [{"namespace": "batch-*", "labels": {"parallel": "true"}}],
                "dns": [{"namespace": "kube-system", "labels": {"k8s-app": "kube-dns"}}],
                "karpenter": [{"namespace": "karpenter"}],
            },
            "logs": {"retentionDays": 7},
        },
        "chartMirror": "oci://registry.example.com/eks",
    }
    return platform(changes)


@pytest.fixture
def on_nodes(platform) -> Any:
    """A platform without Fargate: a managed node group runs Karpenter and CoreDNS."""
    group = {
        "instanceTypes": ["m7i.large"],
        "releaseVersion": "1.35.8-20260930",
        "size": {"min": 2, "max": 3},
    }
    return platform({"fargate": None, "managedNodeGroups": {"base": group}})


@pytest.fixture
def once(deploy) -> Callable[..., Any]:
    """Like `deploy`, but a program, which must be a function of the module, runs only once."""

    def run(program: Callable[[], object], *answers: Any, preview: bool = False) -> Any:
        key = f"{program.__module__}.{program.__qualname__}", preview
        if key not in _BUILT:
            _BUILT[key] = deploy(program, *answers, preview=preview)
        return _BUILT[key]

    return run
