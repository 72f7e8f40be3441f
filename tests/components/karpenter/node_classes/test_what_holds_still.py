import pytest

from components.karpenter.node_classes import RESTRICTED_TAGS
from tests.components.karpenter.node_classes.node_class import spec, told

ROLLS = "holds a time stamp, which would replace every node at each run: drop it"
LIMITS = "EC2 takes 128 characters of a key and 256 of a value: shorten it"
BOTTLEROCKET = "bottlerocket@v1.66.0"
MOST = 16384


@pytest.mark.parametrize("key", [*RESTRICTED_TAGS, "kubernetes.io/cluster/dev"])
def test_tags_that_karpenter_sets_itself_are_refused(key):
    assert told(tags={key: "x"}) == {f"tags.{key}": "Karpenter sets this tag itself: drop it"}


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("aws:team", "apps", "EC2 takes no such key: give it another"),
        ("AWS:team", "apps", "EC2 takes no such key: give it another"),
        ("", "apps", "EC2 takes no such key: give it another"),
        ("k" * 129, "apps", LIMITS),
        ("team", "v" * 257, LIMITS),
    ],
)
def test_tags_that_ec2_refuses_are_refused(key, value, problem):
    assert told(tags={key: value}) == {f"tags.{key}": problem}


@pytest.mark.feature("C-21")
@pytest.mark.parametrize(
    "value",
    [
        "2026-11-21T04:50:00Z",
        "deployed 2026-11-21 04:50",
        "2026-11-21T04:50:00.123456+00:00",
        "1790000000",
        "1790000000123",
    ],
)
def test_a_time_stamp_in_a_tag_is_refused_since_it_rolls_every_node_at_each_run(value):
    assert told(tags={"deployed": value}) == {"tags.deployed": ROLLS}


@pytest.mark.parametrize(
    "value",
    ["2026-11-21", "111122223333", "1.35.8-20260930", "", "17900", "v" * 256],
)
def test_what_only_looks_like_a_time_stamp_is_a_tag(value):
    assert spec(tags={"k" * 128: value})["tags"] == {"k" * 128: value}


def test_the_name_of_a_node_and_the_discovery_tag_are_the_user_s_to_give():
    tags = {"Name": "apps", "karpenter.sh/discovery": "dev"}

    assert spec(tags=tags)["tags"] == tags


@pytest.mark.feature("C-21")
@pytest.mark.parametrize("moment", ["2026-11-21T04:50:00Z", "2026-11-21 04:50"])
def test_a_time_stamp_in_user_data_is_refused_too(moment):
    assert told(userData=f"#!/bin/sh\n# made at {moment}\n") == {"userData": ROLLS}


@pytest.mark.parametrize("text", ["", " \n"])
def test_empty_user_data_is_refused(text):
    assert told(userData=text) == {"userData": "is empty: fill it, or drop it"}


def test_user_data_is_as_long_as_ec2_takes_it():
    assert spec(userData="#" * MOST)["userData"] == "#" * MOST
    # Bytes, not characters.
    assert told(userData="é" * (MOST // 2 + 1)) == {
        "userData": "has 16,386 bytes and EC2 takes 16,384: load the rest at the start"
    }


def test_bottlerocket_s_user_data_is_toml():
    toml = "[settings.kubernetes]\nregistry-qps = 10\n"

    assert spec(amiAlias=BOTTLEROCKET, userData=toml)["userData"] == toml
    assert told(amiAlias=BOTTLEROCKET, userData="#!/bin/sh\necho hello\n")["userData"].startswith(
        "Bottlerocket reads TOML, and this is none ("
    )
    assert told(userData="#!/bin/sh\necho hello\n") == {}
