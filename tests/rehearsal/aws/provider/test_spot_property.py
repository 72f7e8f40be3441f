"""Whatever a spot group may be, AWS's published models and moto take what the program sends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from components.ec2.instance_types import known_types
from components.nodes.nodes import label_problem
from components.nodes.spot import SpotNodeGroup, SpotNodeGroupArgs
from components.nodes.spot_config import SpotNodeGroupConfig
from tests.cluster_refs import cluster_ref
from tests.rehearsal.aws.provider.world import World

GROUP = "aws:autoscaling/group:Group"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
# Each example makes a launch template, groups with instances, and takes them away again: 0.3 s.
EXAMPLES = 40
PARAMETERS = "aws:ssm/getParametersByPath:getParametersByPath"
LONGEST_KEY = 82

NAMES = st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,40}[a-z0-9])?", fullmatch=True)
KEYS = st.one_of(
    NAMES,
    st.builds("{}.example.com/{}".format, st.from_regex(r"[a-z]{1,20}", fullmatch=True), NAMES),
    st.builds("node.kubernetes.io/{}".format, NAMES),
).filter(lambda key: len(key) <= LONGEST_KEY and label_problem(key) is None)
VALUES = st.from_regex(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?", fullmatch=True)
TYPES = {
    architecture: sorted(
        name for name, facts in known_types().types.items() if facts.architecture == architecture
    )
    for architecture in ("x86_64", "arm64")
}


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the keys."""
    return st.fixed_dictionaries({}, optional=fields)


def ranges(low: int, high: int) -> st.SearchStrategy[dict[str, int]]:
    pairs = st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted)
    return st.one_of(
        st.integers(low, high).map(lambda least: {"min": least}),
        pairs.map(lambda pair: {"min": pair[0], "max": pair[1]}),
    )


INCLUDED = st.sampled_from(["included", "excluded", "required"])
PATTERNS = st.lists(st.sampled_from(["m5.*", "c*", "*.large", "r6i.2xlarge"]), max_size=3)


@st.composite
def requirements(draw: st.DrawFn) -> dict[str, Any]:
    asked = draw(
        maybe(
            memoryGibPerVCpu=ranges(1, 16),
            instanceGenerations=st.sampled_from([["current"], ["previous"]]),
            burstablePerformance=INCLUDED,
            bareMetal=INCLUDED,
            localStorageTypes=st.sampled_from([["ssd"], ["hdd", "ssd"]]),
            totalLocalStorageGb=ranges(50, 4000),
            networkBandwidthGbps=ranges(1, 100),
            onDemandMaxPricePercentageOverLowestPrice=st.integers(1, 999999),
        )
    )
    # Of each pair one excludes the other.
    asked |= draw(
        st.one_of(maybe(allowedInstanceTypes=PATTERNS), maybe(excludedInstanceTypes=PATTERNS))
    )
    asked |= draw(
        st.one_of(
            maybe(spotMaxPricePercentageOverLowestPrice=st.integers(1, 999999)),
            maybe(maxSpotPriceAsPercentageOfOptimalOnDemandPrice=st.integers(1, 999999)),
        )
    )
    asked |= draw(
        st.one_of(
            maybe(architecture=st.sampled_from(["x86_64", "arm64"])),
            st.sampled_from(["intel", "amd", "amazon-web-services"]).map(
                lambda builder: {"cpuManufacturers": [builder]}
            ),
        )
    )
    return asked | {"vCpu": draw(ranges(1, 64)), "memoryMib": draw(ranges(1, 262144))}


@st.composite
def chosen_types(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.integers(0, 3)) == 0:
        return {"instanceRequirements": draw(requirements())}
    names = st.sampled_from(TYPES[draw(st.sampled_from(sorted(TYPES)))])
    chosen = draw(st.lists(names, min_size=1, max_size=40, unique=True))
    if not draw(st.booleans()):
        return {"instanceTypes": chosen}
    weights = [draw(st.integers(1, 999)) for _ in chosen]
    pairs = zip(chosen, weights, strict=True)
    return {"instanceTypes": [{"type": name, "weight": weight} for name, weight in pairs]}


@st.composite
def distributions(draw: st.DrawFn, *, by_list: bool) -> dict[str, Any]:
    strategies = ["price-capacity-optimized", "capacity-optimized", "lowest-price"]
    on_demand = ["lowest-price"]
    if by_list:
        strategies.append("capacity-optimized-prioritized")
        on_demand.append("prioritized")
    found = draw(
        maybe(
            onDemandBaseCapacity=st.integers(0, 5),
            onDemandPercentageAboveBaseCapacity=st.integers(0, 100),
            onDemandAllocationStrategy=st.sampled_from(on_demand),
            spotAllocationStrategy=st.sampled_from(strategies),
            maxPrice=st.decimals("0.001", "99", places=3).map(str),
        )
    )
    if found.get("spotAllocationStrategy") == "lowest-price":
        found |= draw(maybe(spotInstancePools=st.integers(1, 20)))
    return found


@st.composite
def refreshes(draw: st.DrawFn) -> dict[str, Any]:
    low = draw(st.integers(0, 100))
    return {
        "minHealthyPercentage": low,
        "maxHealthyPercentage": draw(st.integers(100, low + 100)),
        "instanceWarmup": draw(st.integers(0, 3600)),
    }


TAINTS = st.lists(
    st.fixed_dictionaries(
        {
            "key": KEYS,
            "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        },
        optional={"value": VALUES},
    ),
    max_size=5,
    unique_by=lambda taint: taint["key"],
)


@st.composite
def spot_groups(draw: st.DrawFn) -> dict[str, Any]:
    """As a stack file has them. Few nodes each, since moto launches them."""
    low, desired, high = sorted(draw(st.integers(0, 3)) for _ in range(3))
    types = draw(chosen_types())
    image = st.sampled_from(
        [
            {"releaseVersion": "1.35.8-20260930"},
            {"imageFamily": "Bottlerocket", "releaseVersion": "1.66.0-1ad6b4a4"},
        ]
    )
    some = maybe(
        volumeGib=st.integers(20, 16384),
        metadata=st.integers(1, 64).map(lambda hops: {"hopLimit": hops}),
        labels=st.dictionaries(KEYS, VALUES, max_size=10),
        taints=TAINTS,
        kubelet=st.integers(1, 737).map(lambda pods: {"maxPods": pods}),
        distribution=distributions(by_list="instanceTypes" in types),
        capacityRebalance=st.booleans(),
        perZone=st.booleans(),
        refresh=refreshes(),
    )
    size = {"min": low, "desired": desired, "max": max(high, 2)}
    return {"size": size, **types, **draw(image), **draw(some)}


@pytest.fixture(scope="module")
def ground(engine: Any) -> Iterator[dict[str, Any]]:
    """What stands before the group: its network, its nodes' profile, their image."""
    world = World(engine)
    yield {
        "subnets": world.subnets(),
        "security_group": world.group(),
        "profile": world.make(
            "aws:iam/instanceProfile:InstanceProfile", {"role": world.role("ec2.amazonaws.com").id}
        ).id,
    }
    world.clear()


@contextmanager
def made(engine: Any, token: str, name: str, inputs: dict[str, Any]) -> Iterator[Any]:
    """The resource, gone afterwards."""
    resource = engine.create(token, name, inputs)
    try:
        yield resource
    finally:
        engine.delete(resource, timeout=20)


@st.composite
def arguments(draw: st.DrawFn) -> SpotNodeGroupArgs:
    """All but what stands before the group."""
    cluster = draw(st.from_regex(r"[a-z][a-z0-9-]{0,60}", fullmatch=True))
    hook = draw(st.one_of(st.none(), st.integers(30, 7200)))
    return SpotNodeGroupArgs(
        config=SpotNodeGroupConfig.model_validate(draw(spot_groups())),
        cluster=cluster_ref(name=cluster),
        subnet_ids=(),
        autoscaled=draw(st.booleans()),
        handler_tag=f"aws-node-termination-handler/{cluster}" if hook else None,
        hook_seconds=hook,
        needs=[],
    )


@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    # To look for a smaller example than the one that failed takes minutes here.
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(drawn=arguments())
def test_any_valid_group_is_taken_by_aws_and_is_then_what_was_asked_for(
    deploy: Any, engine: Any, ground: dict[str, Any], drawn: SpotNodeGroupArgs
):
    args = replace(
        drawn, subnet_ids=ground["subnets"], security_group_ids=[ground["security_group"]]
    )
    answers = {PARAMETERS: lambda query: engine.invoke(PARAMETERS, query)}
    built = deploy(lambda: SpotNodeGroup("spot", args), answers)

    profile = {"iamInstanceProfile": {"name": ground["profile"]}}
    template = built.one(TEMPLATE).inputs | profile
    with made(engine, TEMPLATE, "spot", template) as launch_template:
        assert nothing_to_do(engine, launch_template, template)
        for each in built.every(GROUP):
            inputs = each.inputs
            policy = inputs["mixedInstancesPolicy"]["launchTemplate"]
            policy["launchTemplateSpecification"]["launchTemplateId"] = launch_template.id
            with made(engine, GROUP, each.request.name, inputs) as group:
                assert nothing_to_do(engine, group, inputs)
                for later in built.every(HOOK):
                    if later.request.deletedWith == each.urn:
                        with made(engine, HOOK, "drain", later.inputs) as drain:
                            assert nothing_to_do(engine, drain, later.inputs)


def nothing_to_do(engine: Any, resource: Any, inputs: dict[str, Any]) -> bool:
    """Whether AWS has what was asked for: nothing changes in a preview after a refresh."""
    found = engine.refresh(resource)
    assert found is not None
    answer = engine.diff(found, inputs)
    assert dict(answer.detailedDiff) == {}
    return True
