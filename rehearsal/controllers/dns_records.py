"""Calculates ExternalDNS's changes in a zone, from wanted names and existing records.

Records and changes have the form of Route 53's API. Names of ownership records are those of
external-dns 0.21: `cname-` before the name of an alias for IPv4, `aaaa-` for IPv6.
"""

import re
from collections.abc import Sequence
from typing import Any

from rehearsal.controllers.dns_names import Settings, Wish, below

TTL = 300
ADDRESSES = ("A", "AAAA", "CNAME")
HERITAGE = "heritage=external-dns"
OWNER = "external-dns/owner="
BALANCER = re.compile(r"\.elb\.([a-z0-9-]+\.)?amazonaws\.com(\.cn)?$")
ALIAS_ZONE = "Z32O12XQLNTSW2"
"""Hosted zone of application balancers in eu-west-1. Route 53 requires the right one for region and
kind; the played one accepts any.
"""

Record = dict[str, Any]


def zones_for(name: str, zones: Sequence[Record]) -> list[Record]:
    """Zones with the longest matching name: a public and a private one may share it."""
    fitting = [zone for zone in zones if below(name, zone["Name"].rstrip("."))]
    longest = max((len(zone["Name"]) for zone in fitting), default=0)
    return [zone for zone in fitting if len(zone["Name"]) == longest]


def is_covered(zone: Record, settings: Settings) -> bool:
    """True if the filters let it manage this zone."""
    name = zone["Name"].rstrip(".")
    if settings.zone_ids and zone["Id"].rpartition("/")[2] not in settings.zone_ids:
        return False
    private = zone.get("Config", {}).get("PrivateZone", False)
    if settings.zone_type and private != (settings.zone_type == "private"):
        return False
    # A filter may also name something within the zone.
    domains = settings.domains
    return not domains or any(below(name, domain) or below(domain, name) for domain in domains)


def changes(
    records: Sequence[Record], wanted: Sequence[Wish], settings: Settings
) -> list[dict[str, Any]]:
    """Changes of one zone. Records of another owner, or of none, are never touched."""
    by_key = {_key(record): record for record in records}
    made: list[dict[str, Any]] = []
    for wish in wanted:
        there = [by_key[wish.name, kind] for kind in ADDRESSES if (wish.name, kind) in by_key]
        foreign = [record for record in there if owner_of(record, by_key) != settings.owner]
        desired = desired_records(wish, settings)
        # Without their record these would be taken over from somebody else.
        claimed = [by_key[_key(record)] for record in desired if _key(record) in by_key]
        if foreign or any(_owner_in(record) not in {None, settings.owner} for record in claimed):
            print(f"ExternalDNS: {wish.name} belongs to another owner, or to nobody", flush=True)
            continue
        for record in desired:
            current = by_key.get(_key(record))
            if current is None:
                made.append({"Action": "CREATE", "ResourceRecordSet": record})
            elif settings.policy != "create-only" and not _same(current, record):
                made.append({"Action": "UPSERT", "ResourceRecordSet": record})
    if settings.policy == "sync":
        made += _deletions(by_key, {wish.name for wish in wanted}, settings)
    return made


def desired_records(wish: Wish, settings: Settings) -> list[Record]:
    """Aliases for IPv4 and IPv6, or one CNAME, each with the TXT record of its owner."""
    if settings.prefer_cname or not BALANCER.search(wish.target):
        value = [{"Value": wish.target}]
        made: list[Record] = [
            {"Name": wish.name, "Type": "CNAME", "TTL": TTL, "ResourceRecords": value}
        ]
    else:
        alias = {"HostedZoneId": ALIAS_ZONE, "DNSName": wish.target, "EvaluateTargetHealth": True}
        made = [{"Name": wish.name, "Type": kind, "AliasTarget": alias} for kind in ("A", "AAAA")]
    said = f'"{HERITAGE},{OWNER}{settings.owner},external-dns/resource={wish.resource}"'
    owned = [
        {
            "Name": ownership_name(record),
            "Type": "TXT",
            "TTL": TTL,
            "ResourceRecords": [{"Value": said}],
        }
        for record in made
    ]
    return [*made, *owned]


def ownership_name(record: Record) -> str:
    """Name of the TXT record that holds a record's owner."""
    kind = record["Type"].lower()
    # An alias began as a CNAME, and 0.21 still calls it so.
    kind = "cname" if kind == "a" and "AliasTarget" in record else kind
    return f"{kind}-{_name(record)}"


def owner_of(record: Record, by_key: dict[tuple[str, str], Record]) -> str | None:
    """Owner according to the TXT record of a record; None if there is none."""
    ownership = by_key.get((ownership_name(record), "TXT"))
    return _owner_in(ownership) if ownership else None


def _owner_in(record: Record) -> str | None:
    values: list[dict[str, str]] = record.get("ResourceRecords") or []
    for value in values:
        labels = value["Value"].strip('"').split(",")
        if HERITAGE in labels:
            owners = [text for text in labels if text.startswith(OWNER)]
            return owners[0].removeprefix(OWNER) if owners else None
    return None


def _deletions(
    by_key: dict[tuple[str, str], Record], wanted: set[str], settings: Settings
) -> list[dict[str, Any]]:
    gone = [
        record
        for (name, kind), record in by_key.items()
        if kind in ADDRESSES
        and name not in wanted
        and settings.covers(name)
        and owner_of(record, by_key) == settings.owner
    ]
    owned = [by_key[ownership_name(record), "TXT"] for record in gone]
    return [
        {"Action": "DELETE", "ResourceRecordSet": {**record, "Name": _name(record)}}
        for record in (*gone, *owned)
    ]


def _name(record: Record) -> str:
    return str(record["Name"]).rstrip(".")


def _key(record: Record) -> tuple[str, str]:
    return _name(record), str(record["Type"])


def _same(current: Record, wanted: Record) -> bool:
    if "AliasTarget" in wanted:
        return _target(current) == _target(wanted)
    # What an object is called in the text may change; the rest of it counts too.
    return current.get("ResourceRecords") == wanted["ResourceRecords"]


def _target(record: Record) -> str:
    return str(record.get("AliasTarget", {}).get("DNSName", "")).rstrip(".").lower()
