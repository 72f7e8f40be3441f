"""Inputs of resources that a program did not declare: `pulumi import`, `.get()`, refresh."""

import re

from rehearsal.aws.provider import values
from rehearsal.aws.resource_types.entry import COMPUTED, REQUIRED, ResourceType, Values


def inputs_from_id(kind: ResourceType, id_: str, state: Values) -> Values:
    """Inputs that the id (or a known state) implies."""
    known = {name: state[name] for name in kind.properties if state.get(name) is not None}
    if isinstance(kind.id, str) and "{" in kind.id:
        names = re.findall(r"\{(\w+)\}", kind.id)
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(kind.id))
        if match := re.fullmatch(pattern, id_):
            known |= {name: match[name] for name in names}
    return known


def inputs_from_state(kind: ResourceType, state: Values, given: Values) -> Values:
    """Inputs after a read: the program's if they still hold, else AWS's."""
    seen: Values = {}
    for name, prop in kind.properties.items():
        actual = state.get(name)
        if name in given:
            seen[name] = given[name] if actual is None else actual
            if actual is not None and values.same(given[name], actual, prop):
                seen[name] = given[name]
        elif not values.is_empty(actual) and (not given or not {COMPUTED, REQUIRED} & prop.traits):
            seen[name] = actual
    return seen
