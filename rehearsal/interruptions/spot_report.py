"""Tables about groups of instances, and about what became of interrupted ones."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rehearsal.groups import Group
from rehearsal.interruptions.interruption import Outcome
from rehearsal.report import nodes_table

CLUSTER_AUTOSCALER = (
    "the Cluster Autoscaler: it is not run. Its discovery tags, its templates for scaling from "
    "zero and its rights are what the groups and the role say; nobody here scales by them"
)


def moves_table(outcome: Outcome) -> Table:
    """A row for each pod of the interrupted nodes: when it went, and where its successor runs."""
    title = f"Pods that moved ({outcome.kind})"
    table = Table("pod", "from", "gone after s", "now", "on", "running after s", title=title)
    for move in sorted(outcome.moves, key=lambda move: (move.node, move.gone or 0.0)):
        seconds = ("-" if took is None else f"{took:.1f}" for took in (move.gone, move.ready))
        gone, ready = seconds
        nodes = (move.node.partition(".")[0], move.now_on.partition(".")[0])
        row = (move.name, nodes[0], gone, move.now or "nothing", nodes[1], ready)
        table.add_row(*(escape(text) for text in row))
    return table


def print_outcome(console: Console, outcome: Outcome) -> None:
    """Prints the result of an interruption."""
    if outcome.moves:
        console.print(moves_table(outcome))
    for victim in outcome.victims:
        if victim.name in outcome.drained:
            text = (
                f"{victim.name} ({victim.owner}): drained in {outcome.drained[victim.name]:.1f} s"
            )
            console.print(escape(text), highlight=False)
    for budget in outcome.budgets:
        held = "BROKEN" if budget.broken else "held"
        text = f"PodDisruptionBudget {budget.name}: {held}, at worst {budget.healthy} healthy pods"
        console.print(escape(f"{text} of {budget.desired} wanted"), highlight=False)
    for note in outcome.notes:
        console.print(escape(note), highlight=False)
    if outcome.new_nodes:
        title = f"New nodes, {outcome.seconds:.0f} s after the announcement"
        console.print(nodes_table(outcome.new_nodes, title))


def groups_table(groups: Sequence[Group], cluster: str) -> Table:
    """A row for each group: its size, its instances, and what the Cluster Autoscaler knows of
    it.
    """
    columns = ("group", "min/desired/max", "instances", "Cluster Autoscaler", "template from zero")
    table = Table(*columns, title="Auto Scaling groups")
    for group in groups:
        kinds = Counter(
            f"{instance.type} {instance.zone} {instance.market}" for instance in group.instances
        )
        instances = [f"{kind} x{n}" if n > 1 else kind for kind, n in sorted(kinds.items())]
        missing = group.undiscovered(cluster)
        seen = f"not seen: no tag {', '.join(missing)}" if missing else "seen by its tags"
        template = [f"{key}={value}" for key, value in sorted(group.template.items())]
        row = (
            group.name,
            f"{group.minimum}/{group.desired}/{group.maximum}",
            "\n".join(instances) or "none",
            seen,
            "\n".join(template) or "none",
        )
        table.add_row(*(escape(text) for text in row))
    return table
