"""What a request of EC2's query protocol asks for: lists and filters are numbered there."""

from collections.abc import Iterator
from urllib.parse import parse_qs

Form = dict[str, list[str]]


def form_of(body: bytes) -> Form:
    """The parameters of a request."""
    return parse_qs(body.decode())


def listed(form: Form, prefix: str) -> set[str]:
    """The values of a list, such as InstanceType.1 and InstanceType.2."""
    return {values[0] for key, values in form.items() if key.startswith(f"{prefix}.")}


def filters(form: Form) -> Iterator[tuple[str, set[str]]]:
    """Name and values of each filter."""
    for key, values in form.items():
        parts = key.split(".")
        if parts[0] == "Filter" and parts[-1] == "Name":
            yield values[0], listed(form, f"Filter.{parts[1]}.Value")
