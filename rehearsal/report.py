"""Tables about a stack: resources, nodes and prices, pools, and system pods."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rehearsal.account_things import Thing
from rehearsal.clients import Cluster
from rehearsal.nodes_now import COMPUTE, Node, cost, is_true
from rehearsal.progress import kind
from rehearsal.scenario import Scene

STACK = "pulumi:pulumi:Stack"
PROVIDER = "pulumi:providers:"

NOT_CHECKED = (
    "that IAM rights suffice: roles, policies and trusts must exist and have the right form; who "
    "may do what is checked for the played controllers alone, by action",
    "that nodes boot and join: AMIs and user data are looked up, not run",
    "that pods do their work: no container runs, images are not pulled",
    "network traffic: routes, security groups and endpoints exist, no packet passes",
    "AWS's quotas, capacity and waiting times; prices are dated examples, not today's",
)


def resources_table(resources: Sequence[dict[str, Any]]) -> Table:
    """The stack's resources, counted below the component that declares them."""
    by_urn = {resource["urn"]: resource for resource in resources}
    own = [r for r in resources if r["type"] != STACK and r["custom"]]
    grouped: dict[str, Counter[str]] = {}
    for resource in own:
        if not resource["type"].startswith(PROVIDER):
            place = _component(by_urn, resource)
            grouped.setdefault(place, Counter())[kind(resource["type"])] += 1
    table = Table("component", "resources", "kinds", title="Resources by component")
    for place, kinds in sorted(grouped.items()):
        texts = [f"{name} x{n}" if n > 1 else name for name, n in sorted(kinds.items())]
        table.add_row(escape(place), str(kinds.total()), escape(", ".join(texts)))
    table.add_section()
    table.add_row("together", str(sum(kinds.total() for kinds in grouped.values())), "")
    return table


def nodes_table(nodes: Sequence[Node], title: str = "Nodes") -> Table:
    """A row for each node with its price an hour, and their sum."""
    table = Table("node", "from", "type", "capacity", "zone", "USD/h", "pods", title=title)
    for node in nodes:
        state = " (leaving)" if node.leaving else "" if node.ready else " (not ready)"
        pods = node.pods[0] if len(node.pods) == 1 else str(len(node.pods))
        price = "-" if node.price is None else f"{node.price:.4f}"
        row = (node.name + state, node.owner, node.instance_type, node.capacity, node.zone)
        table.add_row(*(escape(text) for text in (*row, price, pods)))
    unpriced = sum(node.price is None for node in nodes)
    which = f"{len(nodes)} together" + (f", {unpriced} of them without a price" * bool(unpriced))
    table.add_section()
    table.add_row(which, "", "", "", "", f"{cost(list(nodes)):.4f}", "")
    return table


def scenes_table(scenes: Sequence[Scene]) -> Table:
    """Result and duration of each step of a scaling."""
    table = Table("step", "seconds", "nodes", "types", "USD/h", "pods", title="Scaling")
    for scene in scenes:
        types = Counter(f"{n.instance_type} {n.capacity} {n.zone}" for n in scene.nodes)
        table.add_row(
            scene.title,
            f"{scene.seconds:.0f}",
            str(len(scene.nodes)),
            ", ".join(f"{t} x{n}" if n > 1 else t for t, n in sorted(types.items())) or "none",
            f"{scene.cost:.4f}",
            str(sum(len(node.pods) for node in scene.nodes)),
        )
    return table


def pools_table(cluster: Cluster) -> tuple[Table, bool]:
    """Karpenter's pools and node classes with their readiness; and True if all are Ready."""
    table = Table("kind", "name", "ready", "nodes", "why not", title="Pools and node classes")
    everyone = True
    lists = {
        "NodePool": "/apis/karpenter.sh/v1/nodepools",
        "EC2NodeClass": "/apis/karpenter.k8s.aws/v1/ec2nodeclasses",
    }
    for name, path in lists.items():
        for item in cluster.items(path):
            ready = is_true(item, "Ready")
            everyone = everyone and ready
            count = item.get("status", {}).get("resources", {}).get("nodes", "")
            why = "" if ready else _why_not(item)
            shown = (name, item["metadata"]["name"], "yes" if ready else "NO", str(count), why)
            table.add_row(*(escape(text) for text in shown))
    return table, everyone


def system_pods_table(cluster: Cluster) -> tuple[Table, list[str]]:
    """The pods of kube-system with their nodes, and the names of those that are not on Fargate.

    A pod of a DaemonSet belongs to another node by its nature and is not counted.
    """
    compute = {
        node["metadata"]["name"]: node["metadata"].get("labels", {}).get(COMPUTE, "ec2")
        for node in cluster.items("/api/v1/nodes")
    }
    table = Table("pod", "phase", "runs on", "node", title="Pods of kube-system")
    elsewhere: list[str] = []
    for pod in cluster.items("/api/v1/namespaces/kube-system/pods"):
        name, node = pod["metadata"]["name"], pod["spec"].get("nodeName", "")
        owners = {owner["kind"] for owner in pod["metadata"].get("ownerReferences", [])}
        where = compute.get(node, "nowhere")
        if where != "fargate" and "DaemonSet" not in owners:
            elsewhere.append(name)
        table.add_row(escape(name), pod["status"].get("phase", ""), where, escape(node))
    return table, elsewhere


def leftovers_table(things: Sequence[Thing]) -> Table:
    """Table of what a destroy left."""
    table = Table("kind", "id", "name", title="Left behind")
    for thing in things:
        table.add_row(*(escape(text) for text in thing))
    return table


def print_not_checked(console: Console, more: Sequence[str] = ()) -> None:
    """Prints what only AWS can show; `more` lists parts of this stack that were not run."""
    console.print("A rehearsal cannot show:", style="bold")
    for line in (*NOT_CHECKED, *more):
        console.print(f"  - {line}", highlight=False)


def _component(by_urn: dict[str, dict[str, Any]], resource: dict[str, Any]) -> str:
    """Path of the components above a resource, without the stack and the platform."""
    path: list[str] = []
    parent = resource.get("parent", "")
    while parent and by_urn[parent]["type"] != STACK:
        if not by_urn[parent]["custom"]:
            path.append(parent.rpartition("::")[2])
        parent = by_urn[parent].get("parent", "")
    return " / ".join(reversed(path[:-1])) or "the platform itself"


def _why_not(item: dict[str, Any]) -> str:
    conditions = item.get("status", {}).get("conditions", [])
    if not conditions:
        return "Karpenter has not looked at it yet"
    bad = [c for c in conditions if c["status"] != "True" and c["type"] != "Ready"]
    bad = bad or [c for c in conditions if c["status"] != "True"]
    return "; ".join(f"{c['type']}: {c.get('message') or c.get('reason', '')}" for c in bad)
