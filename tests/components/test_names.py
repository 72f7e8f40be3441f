import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.names import POLICY_NAME_LIMIT, QUEUE_NAME_LIMIT, ROLE_NAME_LIMIT, fitted

NAMES = st.from_regex(r"[0-9A-Za-z][0-9A-Za-z_-]{0,120}", fullmatch=True)
LONG = "a-cluster-whose-name-is-as-long-as-eks-allows-" + "z" * 54
ROLE = "aws:iam/role:Role"


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


@pytest.mark.feature("B-15")
def test_no_role_of_a_platform_with_the_longest_names_passes_the_limit(platform, stack_file):
    sections = {
        "cluster": stack_file("nodeless")["frugal-eks:cluster"] | {"name": LONG},
        "managedNodeGroups": {
            "g" * 63: {
                "instanceTypes": ["m7i.large"],
                "releaseVersion": "1.35.3-20261101",
                "size": {"min": 1, "max": 2},
            }
        },
    }
    built = platform(sections)

    roles = built.every(ROLE)
    given = {r.request.name: r.inputs["name"] for r in roles if "name" in r.inputs}
    # Where no name is given, Pulumi makes one: the resource's, a dash and seven digits.
    made = {f"{r.request.name}-1234567" for r in roles if "name" not in r.inputs}
    assert set(given) == {"karpenter-controller-node", "karpenter-controller-role"}
    assert any(name.startswith("gggg") for name in made)
    every = {*given.values(), *made}
    assert [name for name in every if len(name) > ROLE_NAME_LIMIT] == []
    assert len(every) == len(roles)
