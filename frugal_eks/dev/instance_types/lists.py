"""The two lists that ship, as text and as what EC2 makes of them."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from components.ec2.instance_offerings import KnownOfferings, LaunchFacts, Region, zone_number
from components.ec2.instance_types import KnownTypes, TypeFacts

SHOWN = 8
"""More names than these are only counted."""


class Fetched(NamedTuple):
    """What EC2 says of the regions that were asked."""

    types: Mapping[str, TypeFacts]
    launch: Mapping[str, LaunchFacts]
    """Of those that Karpenter can launch."""
    zones: Mapping[str, Mapping[str, set[str]]]
    """By region and type, the ids of the zones that offer it."""


class Lists(NamedTuple):
    """Both lists."""

    types: KnownTypes
    offerings: KnownOfferings


def refreshed(before: Lists, fetched: Fetched, origin: str, date: str) -> Lists:
    """The lists with what EC2 says. What these regions do not tell stays: types that only others
    offer, and the zones of other regions."""
    regions, offered = dict(before.offerings.regions), _offered(before.offerings)
    for region, found in fetched.zones.items():
        prefixes = {zone[0] for ids in found.values() for zone in map(zone_number, ids) if zone}
        if not prefixes:
            continue  # a region without instances, or without zones of its own
        (prefix,) = prefixes
        regions[region] = Region(prefix, date)
        for numbers in offered.values():
            numbers.pop(prefix, None)
        for name, ids in found.items():
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
    """What EC2 says that the lists do not, in a sentence or two; None: nothing."""
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
    told = [f"{what}: {_named(names)}." for what, names in parts if names]
    return " ".join(told) or None


def types_text(known: KnownTypes) -> str:
    """The list of types as its file has it: a line a type, so that a new one is one line of a
    diff."""
    types = [f"{_json(name)}:{_json(facts)}" for name, facts in sorted(known.types.items())]
    head = f'"origin":{_json(known.origin)},\n"date":{_json(known.date)}'
    return f"{{\n{head},\n" + '"types":{\n' + ",\n".join(types) + "\n}}\n"


def offerings_text(known: KnownOfferings) -> str:
    """The list of offerings as its file has it: a line a region, and a line a type."""
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
