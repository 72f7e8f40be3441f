"""Names of annotations that changed, and what of an object's metadata has no place."""

import pytest

from frugal_eks.migrate.karpenter.metadata import renamed, take_object
from frugal_eks.migrate.reader import Reader

KEEP = "karpenter.sh/do-not-disrupt"


@pytest.mark.feature("A1-28")
@pytest.mark.parametrize("old", ["karpenter.sh/do-not-evict", "karpenter.sh/do-not-consolidate"])
def test_what_protects_a_pod_or_node_gets_its_present_name(old):
    assert renamed({"a": "b", old: "true"}) == {"a": "b", KEEP: "true"}
    assert renamed({KEEP: "30m", old: "true"}) == {KEEP: "30m"}
    assert renamed({old: "true", KEEP: "30m"}) == {KEEP: "30m"}


def test_all_of_an_object_but_its_spec_is_read():
    source = Reader({"apiVersion": "v", "kind": "k", "metadata": {"name": "n"}, "status": {"a": 1}})

    assert take_object(source) == []
    assert source.rest() == []
