import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.names import POLICY_NAME_LIMIT, QUEUE_NAME_LIMIT, ROLE_NAME_LIMIT, fitted
from tests.provider_facts import NameRule, facts, name_rule

NAMES = st.from_regex(r"[0-9A-Za-z][0-9A-Za-z_-]{0,120}", fullmatch=True)
LONG = "a-cluster-whose-name-is-as-long-as-eks-allows-" + "z" * 54
ROLE = "aws:iam/role:Role"
NOT_MADE = {
    # The component eks.Cluster names it as the stack file says.
    "aws:eks/cluster:Cluster",
    # No component makes one.
    "aws:kms/alias:Alias",
}


@given(NAMES, st.sampled_from([ROLE_NAME_LIMIT, POLICY_NAME_LIMIT, QUEUE_NAME_LIMIT]))
def test_a_name_fits_and_one_that_fitted_already_is_itself(name, limit):
    short = fitted(name, limit)

    assert len(short) <= limit
    assert short == name or len(name) > limit
    assert re.fullmatch(r"[0-9A-Za-z_-]+", short)


@pytest.mark.feature("B-15")
def test_a_shortened_name_is_the_same_on_every_machine():
    assert fitted(f"KarpenterNodeRole-{LONG}", ROLE_NAME_LIMIT) == (
        "KarpenterNodeRole-a-cluster-whose-name-is-as-long-as-ek-84206763"
    )


@pytest.mark.feature("B-15")
def test_two_long_names_that_begin_alike_stay_apart():
    one, two = (fitted(f"KarpenterNodeRole-{LONG}{end}", ROLE_NAME_LIMIT) for end in "ab")

    assert one != two


def test_a_cut_beside_a_dash_leaves_one_dash():
    assert "--" not in fitted("a" * 54 + "-" + "b" * 20, ROLE_NAME_LIMIT)


LONGEST = {
    "managedNodeGroups": {
        "g" * 63: {
            "instanceTypes": ["m7i.large"],
            "releaseVersion": "1.35.8-20260930",
            "size": {"min": 1, "max": 2},
        }
    },
    "spotNodeGroups": {
        "s" * 63: {
            "instanceTypes": ["m5.large", "m5a.large", "m5d.large", "m5n.large"],
            "releaseVersion": "1.35.8-20260930",
            "size": {"min": 3, "max": 6},
            "labels": {"lifecycle": "Ec2Spot"},
            "perZone": True,
        }
    },
    "nodeSecurityGroup": {},
    "clusterAutoscaler": {"replicas": 0},
    "bastion": {"ssh": {"keyName": "mine", "cidr": "203.0.113.0/24"}},
    "fargate": {
        "profiles": {
            "karpenter": [{"namespace": "karpenter"}],
            "f" * 84: [{"namespace": "jobs"}],
        },
        "logs": {},
    },
    "addons": {
        "awsLoadBalancerController": {},
        "externalDns": {"zones": ["z" * 63 + ".example.com"]},
        "efsCsi": {"fileSystem": {}},
        "ebsCsi": {},
        "metricsServer": {},
        "kubeOpsView": {},
        "nodeTerminationHandler": {"mode": "queue", "rebalanceDraining": True},
    },
    "extraReleases": {
        "r" * 53: {
            "chart": "oci://example.com/charts/own",
            "version": "1.0.0",
            "namespace": "own",
        }
    },
}
"""Sections that make every resource with a name of Pulumi's making, with the longest keys."""


@pytest.fixture
def longest(platform, stack_file) -> Any:
    """A platform with the longest names that a stack file allows."""
    shipped = stack_file("nodeless")
    cluster = shipped["frugal-eks:cluster"] | {"name": LONG}
    karpenter = shipped["frugal-eks:karpenter"] | {"controller": {"replicas": 2}}
    with_nat_instance = {"cidr": "10.20.0.0/16", "natInstance": {}}
    return platform(
        LONGEST | {"cluster": cluster, "karpenter": karpenter, "network": with_nat_instance}
    )


@pytest.mark.feature("B-15")
@pytest.mark.parametrize("stack", ["longest", "nodeless", "spot", "consolidation"])
def test_each_name_fits_what_aws_allows(request, platform, stack_file, stack: str):
    if stack == "longest":
        built = request.getfixturevalue("longest")
    else:
        # Sections of the file `nodeless` that this file has not are taken away.
        nothing = dict.fromkeys(stack_file("nodeless"))
        sections = {**nothing, **stack_file(stack)}
        built = platform({k.removeprefix("frugal-eks:"): v for k, v in sections.items()})

    named = [(each, rule) for each in built.declared if (rule := rule_of(each.request.type))]
    refused = [
        f"{each.request.type} {name}: {len(name)} of {rule.longest} characters"
        for each, rule in named
        for name in [each.inputs.get(rule.property) or each.request.name + "-1234567"]
        if len(name) > rule.longest or not re.search(rule.pattern, name)
    ]
    assert refused == []
    kinds = {each.request.type for each, _ in named}
    assert stack != "longest" or kinds == {t for t in facts() if name_rule(t)} - NOT_MADE


def rule_of(token: str) -> NameRule | None:
    """What the provider asks of the name of such a resource; None of one that is not AWS's."""
    return name_rule(token) if token in facts() else None


@pytest.mark.feature("B-15")
def test_names_of_roles_are_given_only_where_users_look_for_them(longest):
    roles = longest.every(ROLE)

    given = {r.request.name for r in roles if "name" in r.inputs}
    assert given == {"karpenter-controller-node", "karpenter-controller-role"}
    assert any(r.request.name.startswith("gggg") for r in roles)
    assert len({r.inputs.get("name") or r.request.name for r in roles}) == len(roles)


@pytest.mark.behaviour("security-group-replaced-while-used")
def test_no_security_group_has_a_name_that_would_keep_its_replacement_waiting(longest):
    groups = longest.every("aws:ec2/securityGroup:SecurityGroup")

    assert groups
    assert [group.request.name for group in groups if "name" in group.inputs] == []
