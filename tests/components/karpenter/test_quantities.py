import pytest
from pydantic import TypeAdapter, ValidationError

from components.karpenter.quantities import (
    BudgetDuration,
    Duration,
    DurationOrNever,
    Quantity,
    VolumeSize,
    seconds,
)


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
        (VolumeSize, "20"),
        (VolumeSize, "20Mi"),
        (Duration, "30d"),
        (Duration, "720"),
        (Duration, "1.5h"),
        (Duration, "Never"),
        (Duration, "720h\n"),
        (DurationOrNever, "never"),
        (BudgetDuration, "30s"),
        (BudgetDuration, "Never"),
        (BudgetDuration, "1h30s"),
    ],
)
def test_what_the_api_refuses_is_refused(kind, value):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(("number", "text"), [(1000, "1000"), (0, "0"), (1.5, "1.5")])
def test_a_number_becomes_the_text_that_the_api_server_gives_back(number, text):
    assert TypeAdapter(Quantity).validate_python(number) == text


@pytest.mark.parametrize(
    ("duration", "expected"),
    [("720h", 2_592_000), ("1h30m", 5400), ("120s", 120), ("1h1m1s", 3661), ("Never", 0)],
)
def test_a_duration_has_a_length_in_seconds(duration, expected):
    assert seconds(duration) == expected
