"""Edges, longest chains and seconds, on states that are small enough to work out by hand."""

from typing import Any

import pytest

from rehearsal.bench import critical_path
from rehearsal.bench.critical_path import PathStep, Resource, read
from rehearsal.bench.durations import Durations
from rehearsal.errors import RehearsalError

STACK = "urn:pulumi:nodeless::frugal-eks::"
PROFILE = "aws:eks/fargateProfile:FargateProfile"


def urn(name: str, kind: str = "aws:iam/role:Role") -> str:
    return f"{STACK}{kind}::{name}"


def row(name: str, *needs: str, kind: str = "aws:iam/role:Role", **more: Any) -> dict[str, Any]:
    """A custom resource as the state keeps it; `needs` are its dependencies."""
    return {
        "urn": urn(name, kind),
        "custom": True,
        "type": kind,
        "dependencies": list(needs),
    } | more


def component(name: str, **more: Any) -> dict[str, Any]:
    kind = "frugal-eks:index:Thing"
    return {"urn": urn(name, kind), "custom": False, "type": kind} | more


def exported(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"version": 3, "deployment": {"resources": list(rows)}}


def needs(*rows: dict[str, Any]) -> dict[str, set[str]]:
    """What each resource waits for, by name."""
    return {
        resource.name: {urn.rpartition("::")[2] for urn in resource.needs}
        for resource in read(exported(*rows))
    }


NETWORK = read(
    exported(
        row("vpc"),
        row("nat", urn("vpc")),
        row("cluster", urn("vpc")),
        row("pool", urn("cluster"), urn("nat")),
    )
)


def by_name(**seconds: float):
    """Seconds by the name of the resource; others take a thousand, so that a slip shows."""
    return lambda resource: seconds.get(resource.name.replace("-", "_"), 1000)


def told(path: list[PathStep]) -> list[tuple[str, float, float]]:
    return [(step.resource.name, step.start, step.end) for step in path]


def test_every_kind_of_edge_in_the_state_is_one():
    provider = "pulumi:providers:kubernetes"
    found = needs(
        row("vpc"),
        row("role"),
        row("policy"),
        row("cluster-provider", kind=provider),
        component("group"),
        row(
            "thing",
            urn("role"),
            propertyDependencies={"vpcId": [urn("vpc")], "none": None},
            parent=urn("group", "frugal-eks:index:Thing"),
            provider=f"{urn('cluster-provider', provider)}::0f8b4-id",
            deletedWith=urn("policy"),
        ),
    )

    assert found["thing"] == {"role", "vpc", "group", "cluster-provider", "policy"}
    assert found["vpc"] == set()


def test_what_depends_on_a_component_waits_for_all_of_it_its_children_do_not():
    outer, inner = (urn(name, "frugal-eks:index:Thing") for name in ("outer", "inner"))
    found = needs(
        component("outer"),
        row("first", parent=outer),
        component("inner", parent=outer),
        row("second", parent=inner),
        row("after", outer),
        row("late-child", parent=outer),
    )

    assert found["after"] == {"outer", "first", "inner", "second"}
    assert found["second"] == {"inner"}
    assert found["late-child"] == {"outer"}


def test_remains_of_a_replacement_and_unknown_urns_are_no_edges():
    found = needs(
        row("old", delete=True),
        row("new", urn("gone")),
    )

    assert found == {"new": set()}


def test_fargate_profiles_wait_for_each_other_even_if_the_program_does_not_say_so():
    found = needs(row("one", kind=PROFILE), row("other"), row("two", kind=PROFILE))

    assert found == {"one": set(), "other": set(), "two": {"one"}}


def test_a_chain_is_as_long_as_its_slowest_branch():
    seconds = by_name(vpc=6, nat=105, cluster=540, pool=50)

    path = critical_path.create(NETWORK, seconds)

    assert told(path) == [("vpc", 0, 6), ("cluster", 6, 546), ("pool", 546, 596)]
    assert critical_path.total(path) == path[-1].end


def test_a_chain_can_end_with_a_type_instead_of_with_all():
    resources = read(
        exported(
            row("cluster"),
            row("pool", urn("cluster"), kind="pool"),
            row("slower", urn("cluster")),
        )
    )
    seconds = by_name(cluster=540, pool=50, slower=100)

    until_the_pool = critical_path.create(resources, seconds, until="pool")

    assert told(until_the_pool) == [("cluster", 0, 540), ("pool", 540, 590)]
    assert critical_path.create(resources, seconds, until="nothing")[-1].resource.name == "slower"


def test_components_carry_no_time_but_pass_on_that_of_their_children():
    thing = urn("group", "frugal-eks:index:Thing")
    resources = read(
        exported(
            row("role"),
            component("group", dependencies=[urn("role")]),
            row("child", parent=thing),
            row("after", thing),
        )
    )
    seconds = by_name(role=2, child=30, after=5)

    path = critical_path.create(resources, seconds)

    assert told(path) == [("role", 0, 2), ("child", 2, 32), ("after", 32, 37)]


def test_a_destroy_takes_the_same_edges_the_other_way_with_its_own_seconds():
    seconds = by_name(vpc=1, nat=55, cluster=150, pool=60)

    path = critical_path.destroy(NETWORK, seconds)

    assert told(path) == [("pool", 0, 60), ("cluster", 60, 210), ("vpc", 210, 211)]


def test_two_profiles_are_deleted_one_after_the_other():
    resources = read(exported(row("one", kind=PROFILE), row("two", kind=PROFILE)))

    path = critical_path.destroy(resources, by_name(one=110, two=110))

    assert told(path) == [("two", 0, 110), ("one", 110, 220)]


def test_the_engine_deletes_in_waves_and_so_waits_for_the_slowest_of_each_depth():
    """Beside `cluster` (150) stands `nat` (55) at another depth: here that costs 55 more."""
    resources = read(
        exported(
            row("vpc"),
            row("nat", urn("vpc")),
            row("role", urn("vpc")),
            row("cluster", urn("role")),
            row("pool", urn("cluster"), urn("nat")),
        )
    )
    seconds = by_name(vpc=1, nat=55, role=1, cluster=150, pool=60)

    waves = critical_path.destroy_in_waves(resources, seconds)

    assert told(waves) == [
        ("pool", 0, 60),
        ("cluster", 60, 210),
        ("nat", 210, 265),
        ("vpc", 265, 266),
    ]
    shorter = critical_path.destroy(resources, seconds)
    assert [step.resource.name for step in shorter] == ["pool", "cluster", "role", "vpc"]


def test_a_stack_without_resources_has_no_path():
    assert critical_path.create(read(exported()), by_name()) == []
    assert critical_path.total([]) == 0


@pytest.mark.parametrize("export", [{}, {"resources": []}, {"deployment": []}])
def test_something_else_than_an_exported_state_is_refused(export):
    with pytest.raises(RehearsalError, match=r"give what `pulumi stack export` prints$"):
        read(export)


def only(export: dict[str, Any], name: str) -> tuple[Durations, Resource]:
    resources = read(export)
    return Durations(resources), next(one for one in resources if one.name == name)


RELEASE = "kubernetes:helm.sh/v3:Release"
KARPENTER_PROFILE = row("p", kind=PROFILE, inputs={"selectors": [{"namespace": "karpenter"}]})


@pytest.mark.parametrize(
    ("rows", "create", "delete"),
    [
        ([row("x")], 1, 1),
        ([row("x", kind="aws:eks/cluster:Cluster")], 540, 150),
        ([row("x", kind="aws:ec2/natGateway:NatGateway")], 105, 55),
        ([row("x", kind=PROFILE)], 120, 110),
        ([row("p", kind=PROFILE), row("x", kind=PROFILE)], 60, 110),
        ([row("x", kind="aws:eks/addon:Addon", inputs={"addonName": "vpc-cni"})], 30, 9),
        ([row("x", kind="aws:eks/addon:Addon", inputs={"addonName": "coredns"})], 20, 9),
        (
            [
                row("p", kind=PROFILE, inputs={"selectors": [{"namespace": "kube-system"}]}),
                row("x", kind="aws:eks/addon:Addon", inputs={"addonName": "coredns"}),
            ],
            85,
            9,
        ),
        ([row("x", kind=RELEASE, inputs={"chart": "karpenter", "namespace": "karpenter"})], 25, 5),
        (
            [
                KARPENTER_PROFILE,
                row(
                    "x",
                    kind=RELEASE,
                    inputs={"chart": "oci://mirror/karpenter", "namespace": "karpenter"},
                ),
            ],
            5 + 55 + 20,
            5,
        ),
        (
            [
                KARPENTER_PROFILE,
                row("x", kind=RELEASE, inputs={"chart": "karpenter-crd", "namespace": "karpenter"}),
            ],
            5,
            5,
        ),
        ([row("x", kind="kubernetes:karpenter.sh/v1:NodePool")], 45 + 5, 60),
        ([row("x", kind="pulumi:providers:aws")], 0, 0),
    ],
)
def test_seconds_come_from_the_table_by_type_input_and_place(rows, create, delete):
    durations, resource = only(exported(*rows), "x")

    assert (durations.create(resource), durations.delete(resource)) == (create, delete)


def test_types_without_an_entry_are_remembered():
    durations, resource = only(exported(row("x", kind="aws:new/thing:Thing")), "x")

    durations.create(resource)

    assert durations.assumed == {"aws:new/thing:Thing"}


def test_the_aim_for_destroy_depends_on_the_number_of_profiles():
    one = Durations(read(exported(KARPENTER_PROFILE))).aims()
    two = Durations(read(exported(KARPENTER_PROFILE, row("q", kind=PROFILE)))).aims()

    assert (one.create, one.create_ratio) == (796, 1.03)
    assert (one.destroy_ratio, two.destroy_ratio) == (1.05, 1.25)


def test_every_entry_of_the_table_says_where_its_seconds_come_from():
    data = Durations([]).data

    assert data["duration"]
    for entry in [data["default"], *data["duration"]]:
        assert entry["source"], entry
        assert entry["create"] >= 1
        assert entry["delete"] >= 1
