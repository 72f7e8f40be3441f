"""Prints an estimate in a terminal or a log, or as JSON."""

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


def show_estimate(cost: Estimate, console: Console, *, details: bool) -> None:
    """Prints a table of costs, and with `details` a line for each thing."""
    console.print(_title(cost), highlight=False)
    table = _table(console, ("", "at least", "expected", "at most"))
    for kind, each in cost.by_kind.items():
        table.add_row(kind, *_ends(each))
    table.add_section()
    table.add_row(sum_of(cost), *_ends(cost.total), style="bold")
    table.add_row("an hour", *_ends(cost.total * (1 / 730)), style="dim")
    if cost.lines:
        console.print(table)
    if cost.lines and details:
        console.print(_lines(console, cost))
    _rest(cost, console)


def show_comparison(comparison: Comparison, console: Console, *, details: bool) -> None:
    """Prints costs before and after, and the difference."""
    console.print(_title(comparison.after), highlight=False)
    table = _table(console, ("", "before", "after", "change"))
    for kind, (before, after) in comparison.by_kind.items():
        if comparison.is_whole or before != after:
            change = signed(after.expected - before.expected)
            table.add_row(kind, span(before), span(after), change)
    table.add_section()
    before, after = comparison.before.total, comparison.after.total
    if comparison.is_whole:
        change = signed(comparison.difference.expected)
        table.add_row(sum_of(comparison.after), span(before), span(after), change, style="bold")
    else:
        table.add_row("change", "", "", signed(comparison.difference.expected), style="bold")
    console.print(table)
    if not comparison.is_whole:
        console.print(
            "The preview tells no unchanged resources, so only differences are right: make it "
            "with --show-sames for sums.",
            highlight=False,
        )
    if details:
        console.print(_lines(console, comparison.after))
    _rest(comparison.after, console)


def estimate_json(cost: Estimate) -> dict[str, Any]:
    """An estimate as JSON: amounts are objects of low, expected and high; `high` is null if there
    is no limit.
    """
    return {
        "region": cost.region,
        "prices": {"from": cost.dates[0], "to": cost.dates[1]} if cost.dates else None,
        "total": _amount(cost.total),
        "kinds": {kind: _amount(each) for kind, each in cost.by_kind.items()},
        "components": {name: _amount(each) for name, each in cost.by_component.items()},
        "lines": [
            {
                "kind": each.kind,
                "component": each.component,
                "name": each.name,
                "what": each.what,
                "monthly": _amount(each.monthly),
                "note": each.note,
            }
            for each in cost.lines
        ],
        "unknown": [
            {"component": each.component, "name": each.name, "what": each.what}
            for each in cost.unknown
        ],
        "assumptions": list(cost.assumptions),
    }


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON. Sums are right only if `isWhole`."""
    return {
        "isWhole": comparison.is_whole,
        "difference": _amount(comparison.difference),
        "before": estimate_json(comparison.before),
        "after": estimate_json(comparison.after),
    }


def _amount(each: Amount) -> dict[str, float | None]:
    high = None if each.high is None else round(each.high, 2)
    return {"low": round(each.low, 2), "expected": round(each.expected, 2), "high": high}


def _ends(each: Amount) -> tuple[str, str, str]:
    return usd(each.low), usd(each.expected), usd(each.high)


def _title(cost: Estimate) -> str:
    return f"{cost.region}, USD a month of 730 hours, {dates(cost.dates)}"


def _empty(console: Console) -> Table:
    """A table with lines in a terminal, plain elsewhere."""
    return Table(box=box.HEAVY_HEAD if console.is_terminal else None)


def _table(console: Console, columns: Sequence[str]) -> Table:
    table = _empty(console)
    table.add_column(columns[0], overflow="fold")
    for each in columns[1:]:
        table.add_column(each, justify="right", overflow="fold")
    return table


def _lines(console: Console, cost: Estimate) -> Table:
    table = _empty(console)
    for column in ("component", "name", "what"):
        table.add_column(column, overflow="fold")
    table.add_column("USD a month", justify="right", overflow="fold")
    table.add_column("note", overflow="fold")
    for each in cost.lines:
        cells = (each.component, each.name, each.what, span(each.monthly), each.note)
        table.add_row(*map(escape, cells))
    return table


def _rest(cost: Estimate, console: Console) -> None:
    for line in _sentences(cost):
        console.print(escape(line), highlight=False)


def _sentences(cost: Estimate) -> Iterator[str]:
    for each in cost.unknown:
        yield f"Not in the sums: {each.name}: {each.what}."
    for each in cost.unlimited:
        yield f"No upper bound: {each.name}: {each.note or each.what}."
    yield from cost.assumptions
