"""Tables of a replay: its steps with Karpenter's reasons, and what the load costs."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rehearsal.consolidation.costs import Bill, bills
from rehearsal.consolidation.trace import Scene, Trace

HELD = "held 1 h a step"


def print_replay(console: Console, trace: Trace) -> None:
    """Prints all results of a replay."""
    console.print(session_table(trace))
    console.print(
        f"Prices: {trace.region}, list prices of {trace.prices_of}, spot after a sample (see "
        "rehearsal/aws/prices.py); all types of EC2 that Karpenter knows. Savings are Karpenter's "
        "own words, to the cent.",
        highlight=False,
    )
    all_bills = bills(trace)
    console.print(costs_table(trace, all_bills))
    for bill in all_bills:
        console.print(f"  {bill.name}: {escape(bill.rule)}", highlight=False)
    console.print("  Karpenter's nodes only: the base group runs in each of these ways.")


def session_table(trace: Trace) -> Table:
    """A row for each step, with Karpenter's decisions in it."""
    columns = ("step", "seconds", "nodes", "types", "USD/h", "pods", "Karpenter's decisions")
    title = f"{trace.workload}, step by step"
    table = Table(*columns, title=title)
    for scene in trace.scenes:
        done = [*scene.changes, *map(str, scene.disruptions)]
        row = (
            scene.title,
            f"{scene.ended - scene.began:.0f}",
            str(len(scene.nodes)),
            types(scene),
            f"{scene.cost:.4f}",
            str(sum(node.pods for node in scene.nodes)),
            "\n".join(done) or "none",
        )
        table.add_row(*map(escape, row))
    return table


def types(scene: Scene) -> str:
    """Types in words, such as `c6a.xlarge on-demand eu-west-1a x2`."""
    kinds = Counter(map(str, scene.nodes))
    return ", ".join(f"{kind} x{n}" if n > 1 else kind for kind, n in sorted(kinds.items())) or "-"


def costs_table(trace: Trace, all_bills: Sequence[Bill]) -> Table:
    """A row for each way to run the load: USD an hour at each step, their sum, and the
    measurement.
    """
    titles = [scene.title for scene in trace.scenes]
    measured = f"measured {trace.end / 60:.1f} min"
    title = "What the load costs, USD an hour at each step"
    table = Table("", *titles, HELD, "against the first", measured, title=title)
    for bill in all_bills:
        rates = [f"{rate:.4f}" for rate in bill.scenes]
        more = "" if bill is all_bills[0] else f"{bill.above(all_bills[0]):+.0%}"
        table.add_row(bill.name, *rates, f"{bill.held:.4f}", more, f"{bill.measured:.4f}")
    return table
