import pytest

from tests.components.karpenter.node_classes.node_class import spec, told

GOOD = {
    "subnetSelectorTerms": {"id": "subnet-1"},
    "securityGroupSelectorTerms": {"id": "sg-1"},
    "capacityReservationSelectorTerms": {"id": "cr-1"},
}
SUBNET = "give either id or tags: each term is one of them"
GROUP = "give either id, name or tags: each term is one of them"
NOTHING = "finds nothing: give id, tags or instanceMatchCriteria"
ALONE = "stands alone in its term: drop the rest of it, or the id"


# The API server takes each of them where a good term stands beside it.
@pytest.mark.parametrize(
    ("key", "term", "place", "problem"),
    [
        ("subnetSelectorTerms", {}, "", SUBNET),
        ("subnetSelectorTerms", {"tags": {}}, "", SUBNET),
        ("subnetSelectorTerms", {"id": "subnet-1", "tags": {"a": "b"}}, "", SUBNET),
        ("securityGroupSelectorTerms", {}, "", GROUP),
        ("securityGroupSelectorTerms", {"id": "sg-1", "tags": {"a": "b"}}, "", GROUP),
        ("securityGroupSelectorTerms", {"id": "sg-1", "name": "nodes"}, "", GROUP),
        ("securityGroupSelectorTerms", {"name": "nodes", "tags": {"a": "b"}}, "", GROUP),
        ("capacityReservationSelectorTerms", {}, "", NOTHING),
        ("capacityReservationSelectorTerms", {"ownerID": "111122223333"}, "", NOTHING),
        ("capacityReservationSelectorTerms", {"id": "cr-1", "tags": {"a": "b"}}, ".id", ALONE),
        (
            "capacityReservationSelectorTerms",
            {"id": "cr-1", "ownerID": "111122223333"},
            ".id",
            ALONE,
        ),
        (
            "capacityReservationSelectorTerms",
            {"id": "cr-1", "instanceMatchCriteria": "open"},
            ".id",
            ALONE,
        ),
    ],
)
def test_a_term_says_one_thing_and_no_good_term_hides_it(key, term, place, problem):
    assert told(**{key: [GOOD[key], term]}) == {f"{key}.1{place}": problem}


@pytest.mark.parametrize(
    ("key", "term"),
    [
        ("subnetSelectorTerms", {"id": "xxsubnet-1!!"}),
        ("subnetSelectorTerms", {"id": "subnet-1\n"}),
        ("subnetSelectorTerms", {"tags": {"a": ""}}),
        ("subnetSelectorTerms", {"tags": {"": "b"}}),
        ("subnetSelectorTerms", {"tags": {str(number): "b" for number in range(21)}}),
        ("subnetSelectorTerms", {"name": "private"}),
        ("securityGroupSelectorTerms", {"id": "xxsg-1!!"}),
        ("securityGroupSelectorTerms", {"name": ""}),
        ("securityGroupSelectorTerms", {"tags": {"a": ""}}),
        ("capacityReservationSelectorTerms", {"id": "cr-1!"}),
        ("capacityReservationSelectorTerms", {"tags": {"a": "b"}, "ownerID": "1111"}),
        ("capacityReservationSelectorTerms", {"instanceMatchCriteria": "any"}),
    ],
)
def test_rubbish_in_a_term_is_refused(key, term):
    (path, *more) = told(**{key: [GOOD[key], term]})

    assert path.startswith(f"{key}.1.")
    assert more == []


@pytest.mark.parametrize("key", ["subnetSelectorTerms", "securityGroupSelectorTerms"])
def test_no_term_at_all_is_refused_since_it_would_find_nothing(key):
    assert told(**{key: []})[key].startswith("Tuple should have at least 1 item")


@pytest.mark.parametrize("key", GOOD)
def test_there_is_an_end_to_the_number_of_terms(key):
    assert spec(**{key: [GOOD[key]] * 30})[key] == [GOOD[key]] * 30
    assert told(**{key: [GOOD[key]] * 31})[key].startswith("Tuple should have at most 30 items")


@pytest.mark.parametrize("selector", [{}, {"id": "pg-1", "name": "together"}])
def test_a_placement_group_is_found_by_one_of_both(selector):
    assert told(placementGroupSelector=selector) == {
        "placementGroupSelector": "give either id or name"
    }


@pytest.mark.parametrize("selector", [{"id": "sg-1"}, {"name": ""}])
def test_rubbish_in_the_selector_of_a_placement_group_is_refused(selector):
    (key,) = selector

    assert [*told(placementGroupSelector=selector)] == [f"placementGroupSelector.{key}"]
