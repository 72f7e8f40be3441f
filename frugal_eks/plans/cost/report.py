"""Tells an estimate in a terminal, a log, or as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from frugal_eks.plans.cost.amounts import Amount
from frugal_eks.plans.cost.compare import Comparison
from frugal_eks.plans.cost.estimate import Estimate
from frugal_eks.plans.cost.words import dates, signed, span, sum_of, usd


def show_estimate(told: Estimate, console: Console, *, details: bool) -> None:
    """A table of what is paid for, and with `details` a line for each thing."""
    console.print(_title(told), highlight=False)
    table = _table(console, ("", "at least", "expected", "at most"))
    for kind, each in told.by_kind.items():
        table.add_row(kind, *_ends(each))
    table.add_section()
    table.add_row(sum_of(told), *_ends(told.total), style="bold")
    table.add_row("an hour", *_ends(told.total * (1 / 730)), style="dim")
    if told.lines:
        console.print(table)
    if told.lines and details:
        console.print(_lines(console, told))
    _rest(told, console)


def show_comparison(told: Comparison, console: Console, *, details: bool) -> None:
    """Before and after, and the difference."""
    console.print(_title(told.after), highlight=False)
    table = _table(console, ("", "before", "after", "change"))
    for kind, (before, after) in told.by_kind.items():
        if told.is_whole or before != after:
            change = signed(after.expected - before.expected)
            table.add_row(kind, span(before), span(after), change)
    table.add_section()
    before, after = told.before.total, told.after.total
    if told.is_whole:
        change = signed(told.difference.expected)
        table.add_row(sum_of(told.after), span(before), span(after), change, style="bold")
    else:
        table.add_row("change", "", "", signed(told.difference.expected), style="bold")
    console.print(table)
    if not told.is_whole:
        console.print(
            "The preview tells no unchanged resources, so only differences are right: make it "
            "with --show-sames for sums.",
            highlight=False,
        )
    if details:
        console.print(_lines(console, told.after))
    _rest(told.after, console)


def estimate_json(told: Estimate) -> dict[str, Any]:
    """For programs: amounts are objects of low, expected and high, `null` where there is no
    limit."""
    return {
        "region": told.region,
        "prices": {"from": told.dates[0], "to": told.dates[1]} if told.dates else None,
        "total": _amount(told.total),
        "kinds": {kind: _amount(each) for kind, each in told.by_kind.items()},
        "components": {name: _amount(each) for name, each in told.by_component.items()},
        "lines": [
            {
                "kind": each.kind,
                "component": each.component,
                "name": each.name,
                "what": each.what,
                "monthly": _amount(each.monthly),
                "note": each.note,
            }
            for each in told.lines
        ],
        "unknown": [
            {"component": each.component, "name": each.name, "what": each.what}
            for each in told.unknown
        ],
        "assumptions": list(told.assumptions),
    }


def comparison_json(told: Comparison) -> dict[str, Any]:
    """The same, of both sides; without sums where the preview was not whole."""
    return {
        "isWhole": told.is_whole,
        "difference": _amount(told.difference),
        "before": estimate_json(told.before),
        "after": estimate_json(told.after),
    }


def _amount(each: Amount) -> dict[str, float | None]:
    high = None if each.high is None else round(each.high, 2)
    return {"low": round(each.low, 2), "expected": round(each.expected, 2), "high": high}


def _ends(each: Amount) -> tuple[str, str, str]:
    return usd(each.low), usd(each.expected), usd(each.high)


def _title(told: Estimate) -> str:
    return f"{told.region}, USD a month of 730 hours, {dates(told.dates)}"


def _empty(console: Console) -> Table:
    """With lines in a terminal, plain elsewhere."""
    return Table(box=box.HEAVY_HEAD if console.is_terminal else None)


def _table(console: Console, columns: Sequence[str]) -> Table:
    table = _empty(console)
    table.add_column(columns[0], overflow="fold")
    for each in columns[1:]:
        table.add_column(each, justify="right", overflow="fold")
    return table


def _lines(console: Console, told: Estimate) -> Table:
    table = _empty(console)
    for column in ("component", "name", "what"):
        table.add_column(column, overflow="fold")
    table.add_column("USD a month", justify="right", overflow="fold")
    table.add_column("note", overflow="fold")
    for each in told.lines:
        cells = (each.component, each.name, each.what, span(each.monthly), each.note)
        table.add_row(*map(escape, cells))
    return table


def _rest(told: Estimate, console: Console) -> None:
    for line in _sentences(told):
        console.print(escape(line), highlight=False)


def _sentences(told: Estimate) -> Iterator[str]:
    for each in told.unknown:
        yield f"Not in the sums: {each.name}: {each.what}."
    for each in told.unlimited:
        yield f"No upper bound: {each.name}: {each.note or each.what}."
    yield from told.assumptions
