"""Renders an estimate as Markdown, for a pull request's comment."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, get_args

from frugal_eks import markdown_table
from frugal_eks.plans.cost.amounts import Amount
from frugal_eks.plans.cost.estimate import Estimate
from frugal_eks.plans.cost.lines import Kind, Line, Unknown
from frugal_eks.plans.cost.words import dates, signed, span, sum_of, usd
from frugal_eks.plans.previews.markdown import prose

CUT = "\n\n_Cut here: `./frugal-eks cost --preview FILE` tells all of it._\n"


class Compared(Protocol):
    """Figures of a change, as Comparison has them."""

    @property
    def before(self) -> Estimate: ...
    @property
    def after(self) -> Estimate: ...
    @property
    def is_whole(self) -> bool: ...
    @property
    def difference(self) -> Amount: ...
    @property
    def by_kind(self) -> Mapping[Kind, tuple[Amount, Amount]]: ...


def comparison_markdown(compared: Compared, max_chars: int) -> str:
    """A change as Markdown, sums first; what does not fit is cut from the end."""
    return _within("".join(_comparison(compared)), max_chars)


def estimate_markdown(cost: Estimate) -> str:
    """One estimate as Markdown."""
    return "".join(
        [
            f"USD a month in {prose(cost.region)}, {dates(cost.dates)}.\n",
            *_table(
                ("", "at least", "expected", "at most"),
                [(kind, *_ends(each)) for kind, each in cost.by_kind.items()]
                + [(f"**{sum_of(cost)}**", *(f"**{each}**" for each in _ends(cost.total)))],
            ),
            *_unknown(cost.unknown),
            *_unlimited(cost.unlimited),
            *_folded("What is counted", _lines(cost.lines)),
            *_folded("What it rests on", [f"- {each}\n" for each in cost.assumptions]),
        ]
    )


def _comparison(compared: Compared) -> Iterator[str]:
    before, after, change = compared.before.total, compared.after.total, compared.difference
    # Of unlimited ends there is no difference, but from one without to one with there is news.
    yield f"**{signed(change.expected)} USD a month** expected"
    if compared.is_whole:
        yield f": {usd(before.expected)} before, {usd(after.expected)} after"
        yield f" (at least {usd(after.low)}, at most {usd(after.high)})"
    yield f". {prose(compared.after.region)}, {dates(compared.after.dates)}.\n"
    if not compared.is_whole:
        yield (
            "\nThe preview tells no unchanged resources, so only differences are right: make it "
            "with `--show-sames` for sums.\n"
        )
    rows = [
        (kind, span(was), span(now), signed(now.expected - was.expected))
        for kind, (was, now) in compared.by_kind.items()
        if was != now
    ]
    yield from _table(("what changes", "before", "after", "expected"), rows)
    yield from _unknown(compared.after.unknown)
    yield from _unlimited(compared.after.unlimited)
    yield from _folded("What is counted after the change", _lines(compared.after.lines))
    assumptions = [f"- {each}\n" for each in compared.after.assumptions]
    yield from _folded("What it rests on", assumptions)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> Iterator[str]:
    """A Markdown table; the first `texts` columns are text, the others figures."""
    if not rows:
        return
    yield "\n".join(("", *markdown_table.table(head, rows, figures=len(head) - texts), ""))
    if any(" / " in cell for each in rows for cell in each[texts:]):
        yield "\nWhere there are three figures: at least / expected / at most.\n"


def _lines(lines: Sequence[Line]) -> list[str]:
    ordered = sorted(lines, key=lambda each: get_args(Kind).index(each.kind))
    # Names come from the program: none may break the table or the comment.
    rows = [(prose(e.name), prose(e.what), prose(e.note), span(e.monthly)) for e in ordered]
    return list(_table(("name", "what", "rests on", "USD a month"), rows, texts=3))


def _unknown(unknown: Sequence[Unknown]) -> Iterator[str]:
    if unknown:
        yield "\n**Not in these sums, since it is not known:**\n\n"
    for each in unknown:
        yield f"- {prose(each.name)}: {prose(each.what)}\n"


def _unlimited(lines: Sequence[Line]) -> Iterator[str]:
    if lines:
        names = ", ".join(prose(each.name) for each in lines)
        yield f"\n**No upper bound:** {names}.\n"


def _folded(title: str, body: Sequence[str]) -> Iterator[str]:
    if body:
        yield f"\n<details><summary>{title}</summary>\n\n{''.join(body)}\n</details>\n"


def _ends(amount: Amount) -> tuple[str, str, str]:
    return usd(amount.low), usd(amount.expected), usd(amount.high)


def _within(text: str, max_chars: int) -> str:
    """The text cut to whole lines within `max_chars`, with no <details> left open."""
    if len(text) <= max_chars:
        return text
    room = max_chars - len(CUT) - len("\n</details>\n")
    kept = text[: max(room, 0)].rpartition("\n")[0]
    is_open = kept.count("<details>") > kept.count("</details>")
    return (kept + ("\n\n</details>\n" if is_open else "") + CUT)[:max_chars]
