import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from components.kubernetes.quantities import (
    BudgetDuration,
    Duration,
    DurationOrNever,
    Quantity,
    VolumeSize,
    duration,
    seconds,
)


def said(kind, value):
    """What is told of a value that is refused."""
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(kind).validate_python(value)
    (error,) = refused.value.errors()
    return error["msg"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Quantity, "1000"),
        (Quantity, "500m"),
        (Quantity, "1.5Gi"),
        (VolumeSize, "20Gi"),
        (VolumeSize, "1T"),
        (Duration, "720h"),
        (Duration, "1h30m"),
        (Duration, "120s"),
        (Duration, "2562047h"),
        (DurationOrNever, "Never"),
        (DurationOrNever, "0s"),
        (BudgetDuration, "8h"),
        (BudgetDuration, "1h30m"),
        (BudgetDuration, "90m0s"),
    ],
)
def test_what_the_api_takes_is_taken_as_it_is(kind, value):
    assert TypeAdapter(kind).validate_python(value) == value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Quantity, "1000 Gi"),
        (Quantity, "-1"),
        (Quantity, "1GB"),
        (Quantity, ""),
        (Quantity, True),
        (Quantity, None),
        (Quantity, "1\n"),
        (VolumeSize, "20"),
        (VolumeSize, "20Mi"),
        (Duration, "30d"),
        (Duration, "720"),
        (Duration, "1.5h"),
        (Duration, "Never"),
        (Duration, "720h\n"),
        (Duration, ""),
        (Duration, None),
        (Duration, "2562048h"),
        (DurationOrNever, "never"),
        (BudgetDuration, "30s"),
        (BudgetDuration, "Never"),
        (BudgetDuration, "1h30s"),
        (BudgetDuration, "8h\n"),
        (BudgetDuration, ["8h"]),
    ],
)
def test_what_the_api_refuses_is_refused(kind, value):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(("number", "text"), [(1000, "1000"), (0, "0")])
def test_a_number_becomes_the_text_that_the_api_server_gives_back(number, text):
    assert TypeAdapter(Quantity).validate_python(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.5, '"1500m"'),
        (0.25, '"250m"'),
        (1.1, '"1100m"'),
        (1000.0, "1000"),
        (1e-6, 'a whole number, or thousandths as text, for example "1500m"'),
    ],
)
def test_a_decimal_number_is_told_as_text(number, text):
    assert said(Quantity, number) == f"the API takes no decimal number: write {text}"


@pytest.mark.parametrize(
    ("other", "ours"),
    [
        ("1d", "24h"),
        ("2w", "336h"),
        ("1d12h", "36h"),
        ("30 days", "720h"),
        ("1 week", "168h"),
        ("90min", "1h30m"),
        ("10 mins", "10m"),
        ("45 seconds", "45s"),
        ("1hr", "1h"),
        ("1.5h", "1h30m"),
        ("720H", "720h"),
        ("5000ms", "5s"),
        ("PT1H", "1h"),
        ("PT1H30M", "1h30m"),
        ("P30D", "720h"),
        ("P1W", "168h"),
        ("P1DT12H", "36h"),
    ],
)
def test_a_duration_in_another_spelling_is_told_in_the_api_s(other, ours):
    told = f"is not how the API writes a duration: write {ours}"

    assert said(Duration, other) == told
    assert said(DurationOrNever, other) == told


@pytest.mark.parametrize("other", ["soon", "1mo", "500ms", "P1M", "-5m", "h", "P", "", True, 1.5])
def test_what_is_no_duration_is_told_an_example(other):
    example = "write hours, minutes and seconds, for example 720h, 90s or 1h30m"

    assert said(Duration, other) == f"is no duration: {example}"


@pytest.mark.parametrize("bare", [30, "30"])
def test_a_number_without_a_unit_is_told_with_each(bare):
    assert said(Duration, bare) == "has no unit: write 30s, 30m or 30h"
    assert said(BudgetDuration, bare) == "has no unit: write 30m or 30h"


def test_never_is_no_duration_where_something_has_to_end():
    assert said(Duration, "Never") == (
        "has to end: write hours, minutes and seconds, for example 720h, 90s or 1h30m"
    )
    assert said(DurationOrNever, "NEVER") == "write Never, with a capital"


@pytest.mark.parametrize(
    ("other", "ours"),
    [("30s", "1m"), ("90s", "2m"), ("3600s", "1h"), ("1h30s", "1h1m"), ("1d", "24h")],
)
def test_a_window_is_told_in_hours_and_minutes(other, ours):
    assert said(BudgetDuration, other) == f"a window has hours and minutes only: write {ours}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("720h", 2_592_000), ("1h30m", 5400), ("120s", 120), ("1h1m1s", 3661), ("Never", 0)],
)
def test_a_duration_has_a_length_in_seconds(text, expected):
    assert seconds(text) == expected


@pytest.mark.feature("A1-10")
@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (2_592_000, "720h"),
        (5400, "1h30m"),
        (3661, "1h1m1s"),
        (90, "90s"),
        (300, "5m"),
        (30, "30s"),
        (0, "0s"),
    ],
)
def test_seconds_are_written_as_a_duration(length, expected):
    assert duration(length) == expected


@given(st.integers(min_value=0, max_value=10**10))
def test_no_second_is_lost_in_writing(length):
    assert seconds(duration(length)) == length


@given(st.integers(min_value=0, max_value=2**63 // 10**9))
def test_what_is_written_is_a_duration(length):
    assert TypeAdapter(Duration).validate_python(duration(length)) == duration(length)
