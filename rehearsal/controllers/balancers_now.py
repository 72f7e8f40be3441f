"""The load balancers of a cluster at one moment, with the DNS records that lead to them."""

from typing import Any

from rich.markup import escape
from rich.table import Table

from rehearsal.clients import Cluster, aws_client
from rehearsal.controllers.dns_records import ADDRESSES
from rehearsal.state import Endpoints

SERVICES = "/api/v1/services"
INGRESSES = "/apis/networking.k8s.io/v1/ingresses"


def load_balancers_table(cluster: Cluster, endpoints: Endpoints) -> Table:
    """A row for each Service of type LoadBalancer and each Ingress."""
    balancers = {
        balancer["DNSName"]: balancer
        for page in aws_client("elbv2", endpoints)
        .get_paginator("describe_load_balancers")
        .paginate()
        for balancer in page["LoadBalancers"]
    }
    records = _records(endpoints)
    table = Table("name", "type", "scheme", "hostname", "records", title="Load balancers")
    for kind, thing in _asking(cluster):
        hostname = _hostname(thing)
        balancer = balancers.get(hostname, {})
        row = (
            f"{kind} {_name(thing)}",
            balancer.get("Type", ""),
            balancer.get("Scheme", ""),
            hostname or "none yet",
            ", ".join(records.get(hostname, [])),
        )
        table.add_row(*(escape(text) for text in row))
    return table


def waiting(cluster: Cluster) -> list[str]:
    """Services of type LoadBalancer and Ingresses without an address, with their last event."""
    said = {
        event["involvedObject"].get("uid"): event.get("message", "")
        for event in cluster.items("/api/v1/events")
    }
    lines: list[str] = []
    for kind, thing in _asking(cluster):
        if not _hostname(thing):
            last = said.get(thing["metadata"]["uid"]) or _silence(kind, thing)
            lines.append(f"{kind} {_name(thing)}: {last}")
    return lines


def _silence(kind: str, thing: dict[str, Any]) -> str:
    field = "loadBalancerClass" if kind == "Service" else "ingressClassName"
    chosen = thing["spec"].get(field)
    if not chosen:
        return f"it has no {field}, so no controller takes it on"
    return f"nothing was said about it; its {field} is {chosen}"


def _asking(cluster: Cluster) -> list[tuple[str, dict[str, Any]]]:
    services = [
        service for service in cluster.items(SERVICES) if service["spec"]["type"] == "LoadBalancer"
    ]
    ingresses = cluster.items(INGRESSES)
    return [("Service", thing) for thing in services] + [("Ingress", thing) for thing in ingresses]


def _hostname(thing: dict[str, Any]) -> str:
    balancer = thing.get("status", {}).get("loadBalancer", {})
    entries: list[dict[str, str]] = balancer.get("ingress") or [{}]
    return entries[0].get("hostname", "")


def _name(thing: dict[str, Any]) -> str:
    return f"{thing['metadata']['namespace']}/{thing['metadata']['name']}"


def _records(endpoints: Endpoints) -> dict[str, list[str]]:
    """Names in the account's zones by target."""
    route53 = aws_client("route53", endpoints)
    names: dict[str, list[str]] = {}
    for zones in route53.get_paginator("list_hosted_zones").paginate():
        for zone in zones["HostedZones"]:
            listing = route53.get_paginator("list_resource_record_sets")
            for page in listing.paginate(HostedZoneId=zone["Id"]):
                for record in page["ResourceRecordSets"]:
                    name = f"{record['Name'].rstrip('.')} ({record['Type']})"
                    if record["Type"] in ADDRESSES and (target := _target(record)):
                        names.setdefault(target, []).append(name)
    return names


def _target(record: dict[str, Any]) -> str:
    values: list[dict[str, str]] = record.get("ResourceRecords") or [{}]
    alias = record.get("AliasTarget", {}).get("DNSName", "")
    return (alias or values[0].get("Value", "")).rstrip(".")
