"""`frugal-eks explain`: what may stand at a path, in words."""

import io

import pytest
from rich.console import Console

from frugal_eks import cli
from stack_config.explain import explained, show
from stack_config.model import StackConfig
from stack_config.places import Places, UnknownPathError
from stack_config.schema import plain_schema

USAGE = 2
WORDS = ["consolidateAfter", "text", "such", "as", "720h,", "1h30m,", "Never", "1m"]
PLACES = Places(plain_schema())


def rows(path):
    """Each key with its type, default and why."""
    place = PLACES.entry(PLACES.find(path))
    return {row.key: row[1:] for section in PLACES.sections(place) for row in PLACES.rows(section)}


def test_without_a_path_it_tells_every_section():
    assert [*rows("")] == [field.alias for field in StackConfig.model_fields.values()]
    assert rows("")["cluster"] == (
        "keys",
        "required",
        "The EKS cluster: one that the stack creates, or an existing one.",
    )


def test_a_key_has_type_default_and_why():
    found = rows("karpenter.nodePools")

    assert found["nodeClass"] == (
        "text",
        "required",
        "Name of the pool's node class, a key of `nodeClasses`.",
    )
    assert found["expireAfter"] == (
        "text such as 720h, 1h30m, Never",
        "720h",
        "Age at which nodes are replaced, whatever the budgets say.",
    )
    assert found["weight"][:2] == ("whole number, 1 to 100", "")
    assert found["capacityTypes"][0] == "list of spot | on-demand | reserved"
    assert found["labels"][0] == "names → text"
    assert found["limits"][0] == "names → number or text such as 1000, 500m, 1000Gi"
    assert rows("karpenter.nodePools.*.disruption")["budgets"][1] == '[{nodes: "10%"}]'
    assert rows("cluster")["deletionProtection"][:2] == ("true | false", "true")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("karpenter.nodePools.*.disruption", "karpenter.nodePools.NAME.disruption"),
        ("karpenter.nodePools.default.disruption", "karpenter.nodePools.NAME.disruption"),
        ("karpenter.nodePools.disruption", "karpenter.nodePools.NAME.disruption"),
        ("frugal-eks:karpenter", "karpenter"),
        ("karpenter.nodePools.default.taints[0].key", "karpenter.nodePools.NAME.taints[].key"),
        ("karpenter.nodePools.default.taints.key", "karpenter.nodePools.NAME.taints.key"),
        ("spotNodeGroups.a.instanceTypes.weight", "spotNodeGroups.NAME.instanceTypes.weight"),
        ("addons.nodeTerminationHandler.affinity", "addons.nodeTerminationHandler.affinity"),
        ("aws:region", "aws:region"),
    ],
)
def test_a_path_may_name_its_own_things_or_none(path, found):
    assert PLACES.find(path).path == found


def test_of_alternatives_it_tells_all():
    assert {"name", "existing"} <= rows("cluster").keys()
    assert {"heartbeatIntervalSeconds", "rebalanceMonitoring"} <= rows(
        "addons.nodeTerminationHandler"
    ).keys()
    assert PLACES.kind(PLACES.find("network.availabilityZones").node) == (
        "whole number, 2 to 4 or list of text such as eu-west-1a"
    )


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("karpenter.nodePool", "karpenter has no key nodePool: did you mean nodePools?"),
        ("kluster", "A stack file has no key kluster: did you mean cluster?"),
        ("bastion.colour", "bastion has no key colour: it has instanceType, ssh, access"),
        (
            "cluster.name.first",
            "cluster.name has no keys below it: it is text",
        ),
    ],
)
def test_an_unknown_path_names_what_is_near(path, told, capsys):
    with pytest.raises(UnknownPathError, match=told):
        explained(path)
    assert cli.main(["explain", path]) == USAGE
    printed = capsys.readouterr()
    assert printed.err.startswith(told)
    assert printed.out == ""


def test_without_a_terminal_it_is_plain_and_whole(capsys):
    assert cli.main(["explain", "karpenter.nodePools.*.disruption"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "karpenter.nodePools.NAME.disruption",
        "When nodes are removed or replaced by cheaper ones, and how many at once.",
    ]
    assert "NAME is a name of your choice." in lines
    at = next(n for n, line in enumerate(lines) if line.startswith("  consolidateAfter "))
    assert lines[at].split() == WORDS
    why = (
        "How long a node's pods must stay unchanged before the node is consolidated. `Never` turns "
        "consolidation off."
    )
    assert lines[at + 1] == f"      {why}"


def test_of_one_key_it_tells_type_and_default(capsys):
    assert cli.main(["explain", "karpenter.nodePools.*.expireAfter"]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "karpenter.nodePools.NAME.expireAfter",
        "Age at which nodes are replaced, whatever the budgets say.",
        "NAME is a name of your choice.",
        "type: text such as 720h, 1h30m, Never",
        "default: 720h",
    ]


@pytest.mark.parametrize("path", ["karpenter.nodePools", "cluster.version", ""])
def test_in_a_terminal_it_is_a_table_with_every_word(path):
    screen = io.StringIO()
    show(path, Console(file=screen, force_terminal=True, width=110))

    place = PLACES.entry(PLACES.find(path))
    shown = screen.getvalue()
    assert place.path in shown
    for section in PLACES.sections(place):
        for row in PLACES.rows(section):
            assert row.key in shown
            assert row.why.split()[0] in shown
    assert PLACES.sections(place) or "type: text" in shown
