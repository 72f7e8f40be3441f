"""Reads requests of EC2's query protocol, whose lists and filters are numbered."""

from collections.abc import Iterator
from urllib.parse import parse_qs

Form = dict[str, list[str]]


def form_of(body: bytes) -> Form:
    """Parameters of a request."""
    return parse_qs(body.decode())


def listed(form: Form, prefix: str) -> set[str]:
    """Values of a list, such as InstanceType.1 and InstanceType.2."""
    return {values[0] for key, values in form.items() if key.startswith(f"{prefix}.")}


def filters(form: Form) -> Iterator[tuple[str, set[str]]]:
    """Name and values of each filter."""
    for key, values in form.items():
        parts = key.split(".")
        if parts[0] == "Filter" and parts[-1] == "Name":
            yield values[0], listed(form, f"Filter.{parts[1]}.Value")
