"""When nodes are taken away, how many at once, and when they are left alone."""

import pytest
from pydantic import ValidationError

from components.karpenter.disruption import DisruptionWindowConfig
from tests.components.karpenter.node_pools.node_pool import config, spec, told

OFFICE_HOURS = {"schedule": "0 9 * * mon-fri", "duration": "8h"}
NODES = 'is no number of nodes: write one, or a share, for example 1 or "10%"'


def budgets(*given, window=None):
    return spec(window, disruption={"budgets": list(given)})["disruption"]["budgets"]


@pytest.mark.feature("A1-03")
@pytest.mark.parametrize("policy", ["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"])
def test_a_policy_never_goes_without_its_delay(policy):
    found = spec(disruption={"consolidationPolicy": policy})["disruption"]

    assert found["consolidationPolicy"] == policy
    assert found["consolidateAfter"] == "1m"


@pytest.mark.feature("A1-01")
def test_empty_nodes_alone_can_be_taken_after_so_many_seconds():
    disruption = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"}

    assert spec(disruption=disruption)["disruption"] == disruption | {"budgets": [{"nodes": "10%"}]}


def test_a_budget_can_have_a_window_and_reasons():
    window = {"nodes": "0", **OFFICE_HOURS}
    reasons = {"nodes": "1", "reasons": ["Underutilized", "Drifted"]}

    assert budgets(window, reasons) == [window, reasons]


@pytest.mark.feature("A1-32")
@pytest.mark.parametrize("one", [1, "1"])
def test_one_node_at_a_time(one):
    assert budgets({"nodes": one}) == [{"nodes": "1"}]


@pytest.mark.parametrize("nodes", ["0%", "5%", "100%", "0", "250"])
def test_a_budget_is_a_share_or_a_number(nodes):
    assert budgets({"nodes": nodes}) == [{"nodes": nodes}]


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ("200%", 'is more than all of them: write at most "100%" (got "200%")'),
        ("0100%", 'is more than all of them: write at most "100%" (got "0100%")'),
        ("-1", f'{NODES} (got "-1")'),
        (-1, f"{NODES} (got -1)"),
        ("half", f'{NODES} (got "half")'),
        ("10 %", f'{NODES} (got "10 %")'),
        ("10%%", f'{NODES} (got "10%%")'),
        ("1.5", f'{NODES} (got "1.5")'),
        (1.5, f"{NODES} (got 1.5)"),
        (True, f"{NODES} (got true)"),
    ],
)
def test_a_budget_of_no_number_is_refused(nodes, said):
    assert told(disruption={"budgets": [{"nodes": "1"}, {"nodes": nodes}]}) == [
        f"disruption.budgets[1].nodes: {said}"
    ]


@pytest.mark.parametrize(
    ("half", "absent"),
    [({"schedule": "@daily"}, "duration"), ({"duration": "8h"}, "schedule")],
)
def test_a_window_has_a_start_and_a_length(half, absent):
    assert told(disruption={"budgets": [half]}) == [
        f"disruption.budgets[0].{absent}: schedule and duration belong together: give both or none"
    ]


@pytest.mark.parametrize(
    ("duration", "said"),
    [
        ("30s", 'a window has hours and minutes only: write 1m (got "30s")'),
        ("1d", 'a window has hours and minutes only: write 24h (got "1d")'),
        ("PT90M", 'a window has hours and minutes only: write 1h30m (got "PT90M")'),
        (8, "has no unit: write 8m or 8h (got 8)"),
        (
            "Never",
            "is no length of a window: write hours and minutes, for example 8h or 1h30m "
            '(got "Never")',
        ),
    ],
)
def test_the_length_of_a_window_is_told_as_the_api_writes_it(duration, said):
    window = {"nodes": "0", "schedule": "@daily", "duration": duration}

    assert told(disruption={"budgets": [window]}) == [f"disruption.budgets[0].duration: {said}"]


def test_a_reason_is_one_of_karpenters():
    assert told(disruption={"budgets": [{"reasons": ["Empty", "Expired"]}]}) == [
        "disruption.budgets[0].reasons[1]: Input should be 'Underutilized', 'Empty' or 'Drifted': "
        'choose one of these (got "Expired")'
    ]


@pytest.mark.parametrize("line", ["0 9 * * * *", "7 9 * *"])
def test_a_schedule_is_told_as_part_of_its_budget(line):
    (said,) = told(disruption={"budgets": [{"schedule": line, "duration": "1h"}]})

    assert said.startswith(f"disruption.budgets[0].schedule: has {len(line.split())} parts: ")


def test_a_window_for_all_pools_is_the_last_budget_of_each():
    window = DisruptionWindowConfig(**OFFICE_HOURS)

    assert budgets({"nodes": "2"}, window=window) == [
        {"nodes": "2"},
        {"nodes": "0", **OFFICE_HOURS},
    ]
    assert spec(window)["disruption"]["budgets"] == [
        {"nodes": "10%"},
        {"nodes": "0", **OFFICE_HOURS},
    ]


def test_a_window_can_be_for_some_reasons_and_leave_a_few_nodes():
    window = DisruptionWindowConfig.model_validate(
        {"schedule": "@weekly", "duration": "48h", "nodes": 1, "reasons": ["Drifted"]}
    )

    assert budgets(window=window) == [
        {"nodes": "1", "schedule": "@weekly", "duration": "48h", "reasons": ["Drifted"]}
    ]


@pytest.mark.parametrize("absent", ["schedule", "duration"])
def test_a_window_for_all_pools_is_never_always_open(absent):
    half = {key: value for key, value in OFFICE_HOURS.items() if key != absent}

    with pytest.raises(ValidationError, match="Field required") as refused:
        DisruptionWindowConfig.model_validate(half)
    assert [error["loc"] for error in refused.value.errors()] == [(absent,)]


def test_a_pool_has_fifty_budgets_with_that_of_the_window():
    window = DisruptionWindowConfig(**OFFICE_HOURS)
    forty_nine, fifty = (
        config(disruption={"budgets": [{"nodes": "1"}] * count}).disruption for count in (49, 50)
    )

    assert list(forty_nine.has_room_for(window)) == []
    assert list(fifty.has_room_for(None)) == []
    (mistake,) = fifty.has_room_for(window)
    assert mistake.path == "disruption.budgets"
    assert mistake.problem == ("with disruptionWindow there are 51, and the API takes 50: drop 1")


def test_a_pool_with_more_budgets_is_refused_without_a_window():
    (said,) = told(disruption={"budgets": [{"nodes": "1"}] * 51})

    assert said.startswith("disruption.budgets: Tuple should have at most 50 items")
