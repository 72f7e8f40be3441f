"""Which component a resource belongs to."""

import pytest

from frugal_eks.plans.previews import Preview, by_component
from tests.frugal_eks.plans.previews import recorded
from tests.frugal_eks.plans.review.made import STACK, preview, step, urn

TAG, PART = "aws:ec2/tag:Tag", "acme:index:Part"


def parts(read):
    found = by_component(read.changes, read.by_urn)
    return {name: [one.name for one in many] for name, many in found.items()}


def component(name, parent=STACK):
    return step("same", PART, name, custom=False, parent=parent)


def test_the_outermost_counts_and_none_has_no_name():
    read = preview(
        component("net"),
        component("deep", parent=urn(PART, "net")),
        step("same", TAG, "a", parent=urn(PART, "deep")),
        step("same", TAG, "b"),
        step("same", TAG, "c"),
    )

    assert parts(read) == {"": ["shop-dev", "b", "c"], "net": ["net", "deep", "a"]}


def test_one_that_holds_most_is_split_by_its_parts():
    read = preview(
        component("platform"),
        component("net", parent=urn(PART, "platform")),
        component("nodes", parent=urn(PART, "platform")),
        step("same", TAG, "a", parent=urn(PART, "net")),
        step("same", TAG, "b", parent=urn(PART, "nodes")),
        step("same", TAG, "c", parent=urn(PART, "platform")),
    )

    assert parts(read) == {
        "": ["shop-dev", "platform", "c"],
        "net": ["net", "a"],
        "nodes": ["nodes", "b"],
    }


@pytest.mark.parametrize(
    ("name", "components"),
    [
        ("nodeless-create", {"network", "cluster", "fargate", "karpenter", "addons"}),
        ("spot-same", {"network", "cluster", "base", "ng-spot", "addons"}),
        ("consolidation-change", {"network", "cluster", "base", "karpenter", "addons"}),
    ],
)
def test_a_stack_is_split_by_the_parts_of_its_platform(name, components):
    assert components < set(parts(Preview.parse(recorded.text(name))))
