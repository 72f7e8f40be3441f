"""Cron lines: what Karpenter can read, which is less than the API server takes."""

import pytest
from pydantic import TypeAdapter, ValidationError

from components.karpenter.schedule import MACROS, Schedule

LINE = TypeAdapter(Schedule)
AS = "as `*`, `*/2`, `1-5` or `1,3`"


@pytest.mark.parametrize(
    "line",
    [
        *MACROS,
        "* * * * *",
        "0 9 * * mon-fri",
        "*/15 0-6,22-23 1,15 jan,JUL ?",
        "5/10 0 1-31/2 12 0",
        "59 23 31 dec SAT",
        "0  9 * * 1",
    ],
)
def test_what_karpenter_can_read_is_taken_as_it_is(line):
    assert LINE.validate_python(line) == line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "0 0 9 * * 1",
            "has 6 parts: write a cron line's five, minute, hour, day of the month, month, day of "
            'the week, for example "0 9 * * mon-fri"',
        ),
        (
            "every monday",
            "has 2 parts: write a cron line's five, minute, hour, day of the month, month, day of "
            'the week, for example "0 9 * * mon-fri"',
        ),
        (
            "@every 1h",
            "is none of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually: write "
            "one of these, or a cron line",
        ),
        (
            "@daily please",
            "is none of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually: write "
            "one of these, or a cron line",
        ),
        (
            "TZ=Europe/Berlin 0 9 * * 1",
            'times are UTC, and no other zone can be named: drop it, for example "0 9 * * mon-fri"',
        ),
        ("60 9 * * 1", f"60 is no minute: write numbers from 0 to 59, {AS}"),
        ("0 24 * * 1", f"24 is no hour: write numbers from 0 to 23, {AS}"),
        ("0 9 0 * 1", f"0 is no day of the month: write numbers from 1 to 31, {AS}"),
        (
            "0 9 * march 1",
            f"march is no month: write numbers from 1 to 12 or names from jan to dec, {AS}",
        ),
        (
            "0 9 * * 7",
            f"7 is no day of the week: write numbers from 0 to 6 or names from sun to sat, {AS}",
        ),
        (
            "0 9 * * fri-mon",
            "fri-mon is no day of the week: write numbers from 0 to 6 or names from sun to sat, "
            f"{AS}",
        ),
        ("0 nine * * 1", f"nine is no hour: write numbers from 0 to 23, {AS}"),
        ("*/0 9 * * 1", f"*/0 is no minute: write numbers from 0 to 59, {AS}"),
        ("*/ 9 * * 1", f"*/ is no minute: write numbers from 0 to 59, {AS}"),
        ("1-5-9 9 * * 1", f"1-5-9 is no minute: write numbers from 0 to 59, {AS}"),
        ("1,,2 9 * * 1", f"1,,2 is no minute: write numbers from 0 to 59, {AS}"),
        ("+1 9 * * 1", f"+1 is no minute: write numbers from 0 to 59, {AS}"),
    ],
)
def test_what_it_cannot_read_is_refused(line, said):
    with pytest.raises(ValidationError) as refused:
        LINE.validate_python(line)

    (error,) = refused.value.errors()
    assert error["msg"] == said
