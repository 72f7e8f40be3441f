"""The two lists that ship, as text and with EC2's changes."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from components.ec2.instance_offerings import KnownOfferings, LaunchFacts, Region, zone_number
from components.ec2.instance_types import KnownTypes, TypeFacts

SHOWN = 8
"""Number of names that are shown."""


class Fetched(NamedTuple):
    """EC2's data for the queried regions."""

    types: Mapping[str, TypeFacts]
    launch: Mapping[str, LaunchFacts]
    """Launch facts of types that Karpenter can launch."""
    zones: Mapping[str, Mapping[str, set[str]]]
    """Ids of the zones that offer each type, by region and type."""


class Lists(NamedTuple):
    """The list of types and the list of offerings."""

    types: KnownTypes
    offerings: KnownOfferings


def refreshed(before: Lists, fetched: Fetched, origin: str, date: str) -> Lists:
    """The lists with EC2's data. What these regions do not cover stays: types of other regions, and
    their zones.
    """
    regions, offered = dict(before.offerings.regions), _offered(before.offerings)
    for region, zone_ids in fetched.zones.items():
        prefixes = {zone[0] for ids in zone_ids.values() for zone in map(zone_number, ids) if zone}
        if not prefixes:
            continue  # a region without instances, or without zones of its own
        (prefix,) = prefixes
        regions[region] = Region(prefix, date)
        for numbers in offered.values():
            numbers.pop(prefix, None)
        for name, ids in zone_ids.items():
            digits = sorted(zone[1] for zone in map(zone_number, ids) if zone)
            if digits:
                offered.setdefault(name, {})[prefix] = "".join(digits)
    launch = {**before.offerings.types, **fetched.launch}
    zones = {
        name: " ".join(f"{prefix}:{digits}" for prefix, digits in sorted(offered[name].items()))
        for name in launch
        if name in offered
    }
    return Lists(
        KnownTypes(origin, date, {**before.types.types, **fetched.types}),
        KnownOfferings(origin, regions, launch, {name: zones.get(name, "") for name in launch}),
    )


def difference(before: Lists, fetched: Fetched) -> str | None:
    """Changes in EC2's data as a sentence or two; None if there are none."""
    new = sorted(fetched.types.keys() - before.types.types.keys())
    now = refreshed(before, fetched, "", "")
    known = before.types.types.keys() & now.types.types.keys()
    parts = [(f"{len(new)} new", new)]
    changed = sorted(name for name in known if _facts(before, name) != _facts(now, name))
    parts.append((f"{len(changed)} with other values", changed))
    for region in fetched.zones:
        first = region not in before.offerings.regions
        where = f"for the first time in {region}" if first else f"in other zones of {region}"
        was, is_ = _zones(before, region), _zones(now, region)
        moved = sorted(name for name in was.keys() | is_.keys() if was.get(name) != is_.get(name))
        parts.append((f"{len(moved)} {where}", moved))
    changes = [f"{what}: {_named(names)}." for what, names in parts if names]
    return " ".join(changes) or None


def types_text(known: KnownTypes) -> str:
    """Text of the types file: a line for each type, so that a new type is one line of a diff."""
    types = [f"{_json(name)}:{_json(facts)}" for name, facts in sorted(known.types.items())]
    head = f'"origin":{_json(known.origin)},\n"date":{_json(known.date)}'
    return f"{{\n{head},\n" + '"types":{\n' + ",\n".join(types) + "\n}}\n"


def offerings_text(known: KnownOfferings) -> str:
    """Text of the offerings file: a line for each region and each type."""
    regions = [f"{_json(name)}:{_json(each)}" for name, each in sorted(known.regions.items())]
    types = [
        f"{_json(name)}:{_json([known.zones[name], *_without_defaults(facts)])}"
        for name, facts in sorted(known.types.items())
    ]
    return (
        f'{{\n"origin":{_json(known.origin)},\n'
        + '"regions":{\n' + ",\n".join(regions) + "\n},\n"
        + '"types":{\n' + ",\n".join(types) + "\n}}\n"
    )  # fmt: skip


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _without_defaults(facts: LaunchFacts) -> Sequence[object]:
    values = list(facts)
    defaults = LaunchFacts("")
    while len(values) > 1 and values[-1] == defaults[len(values) - 1]:
        values.pop()
    return values


def _offered(known: KnownOfferings) -> dict[str, dict[str, str]]:
    return {
        name: {
            prefix: digits for prefix, _, digits in (each.partition(":") for each in row.split())
        }
        for name, row in known.zones.items()
    }


def _facts(lists: Lists, name: str) -> tuple[TypeFacts, LaunchFacts | None]:
    return lists.types.types[name], lists.offerings.types.get(name)


def _zones(lists: Lists, region: str) -> Mapping[str, tuple[str, ...]]:
    offerings = lists.offerings
    if region not in offerings.regions:
        return {}
    return {n: ids for ids, names in offerings.offered(region).items() for n in names}


def _named(names: Sequence[str]) -> str:
    return f"{', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}"
