"""The writer: what it writes reads as the same values, with each comment on its line."""

import string

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from frugal_eks.migrate.stack_file import WIDEST, text
from stack_config.schema import HINT

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=30)
    | st.sampled_from(["yes", "0123", "1:30", "1e3", "@x", "a: b", "a #b", "|", "a\nb\n", "{{x}}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(string.ascii_letters, min_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=60)
@given(value=VALUES)
def test_every_value_reads_as_it_was(value):
    written = text({"section": {"key": value}}, {("section", "key"): "was\nsomething else"})

    assert yaml.safe_load(written) == {"config": {"frugal-eks:section": {"key": value}}}
    assert "# was something else" in written


def test_sections_stand_in_the_models_order_and_the_region_first():
    written = text({"addons": {}, "karpenter": {}, "cluster": {}, "aws:region": "eu-west-1"}, {})

    assert [line.partition(": ")[0].strip() for line in written.splitlines()[2:]] == [
        "aws:region",
        "frugal-eks:cluster",
        "frugal-eks:karpenter",
        "frugal-eks:addons",
    ]


def test_a_short_comment_stands_behind_and_a_long_one_above_its_line():
    values = {"cluster": {"name": "dev", "version": "1.35"}}
    long = "word " * 30
    comments = {("cluster", "name"): "short", ("cluster", "version"): long}

    hint, *lines = text(values, comments).splitlines()

    assert hint == HINT
    assert lines[2] == "    name: dev # short"
    assert lines[3].startswith("    # word word")
    assert lines[4].startswith("    # word word")
    assert lines[5] == '    version: "1.35"'
    assert max(map(len, lines)) <= WIDEST


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("karpenter",), "  # said\n  frugal-eks:karpenter:"),
        (("karpenter", "pools"), "    # said\n    pools:"),
        (("karpenter", "pools", "default"), "      # said\n      default:"),
        (("karpenter", "pools", "default", "taints"), "        # said\n        taints:"),
        (("karpenter", "pools", "default", "taints", 0), "- {key: a, effect: b} # said"),
        (
            ("karpenter", "pools", "default", "taints", 0, "effect"),
            "- {key: a, effect: b} # effect: said",
        ),
        (("karpenter", "pools", "default", "limits"), "limits: {cpu: 1} # said"),
        (("karpenter", "pools", "default", "limits", "cpu"), "limits:\n          cpu: 1 # said"),
    ],
)
def test_a_comment_stands_at_the_place_that_it_is_for(place, line):
    pool = {"taints": [{"key": "a", "effect": "b"}, {"key": "c" * 80}], "limits": {"cpu": 1}}
    values = {"karpenter": {"pools": {"default": pool}}}

    written = text(values, {place: "said"})

    assert line in written
    assert yaml.safe_load(written)["config"]["frugal-eks:karpenter"] == values["karpenter"]


def test_a_text_of_many_lines_stays_one():
    written = text({"karpenter": {"userData": "#!/bin/sh\necho hello\n", "b": 1}}, {})

    assert "userData: |\n      #!/bin/sh\n      echo hello\n" in written


def test_what_is_left_stands_at_the_end_as_comments():
    assert text({"addons": {}}, {}, ["one", ""]).endswith("frugal-eks:addons: {}\n# one\n#\n")


@given(said=st.text())
def test_whatever_a_comment_says_it_stays_one(said):
    values = {"addons": {"a": 1, "b": [{"c": 2}]}}
    places = [("addons",), ("addons", "a"), ("addons", "b", 0, "c")]

    written = text(values, dict.fromkeys(places, said), [said])

    assert yaml.safe_load(written) == {"config": {"frugal-eks:addons": values["addons"]}}
