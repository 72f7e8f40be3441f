"""Keys and values of labels as Kubernetes accepts them; keys of taints and annotations are
alike.
"""

from typing import Annotated

from pydantic import Field

LabelKey = Annotated[
    str,
    Field(
        pattern=(
            r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?"
            r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
        ),
        examples=["intent", "example.com/team"],
    ),
]
"""Key of a label: a name, or a name after a domain: `intent`, `example.com/team`."""

LabelValue = Annotated[
    str, Field(pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$", max_length=63)
]
