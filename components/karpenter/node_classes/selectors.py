"""Selectors of subnets, security groups, capacity reservations and placement groups."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from ...section import Mistake
from .api_section import ApiSection

_NotEmpty = Annotated[str, Field(min_length=1)]
SelectorTags = Mapping[_NotEmpty, _NotEmpty]
"""Tags that must all be there; `*` matches any value."""


NO_TAG = Mistake("tags", "names no tag: add one, or drop tags", {})
"""The API server treats empty tags as given, and refuses them beside an id."""


def names_no_tag(term: ApiSection) -> bool:
    """True if the stack file gives the term's `tags` and leaves them empty."""
    return "tags" in term.model_fields_set and not getattr(term, "tags", None)


class SubnetSelectorTermConfig(ApiSection):
    """One way to find subnets: by id, or by tags."""

    id: str | None = Field(default=None, pattern=r"^subnet-[0-9a-z]+$")
    """Id of the subnet; cannot be combined with tags."""
    tags: SelectorTags = Field(default={}, max_length=20)
    """Tags that the subnet must have, all of them; `*` matches any value."""

    def mistakes(self) -> Iterator[Mistake]:
        """Exactly one of id and tags. The API server refuses a term with both only if all terms
        have both.
        """
        if bool(self.id) == bool(self.tags):
            yield Mistake("", "give either id or tags: each term is one of them")
        elif names_no_tag(self):
            yield NO_TAG


class SecurityGroupSelectorTermConfig(ApiSection):
    """One way to find security groups. A node gets every group that any term finds. At most one of
    them may carry the cluster's tag, or the load balancer controller finds none.
    """

    id: str | None = Field(default=None, pattern=r"^sg-[0-9a-z]+$")
    """Id of the security group; cannot be combined with name or tags."""
    name: str | None = Field(default=None, min_length=1)
    """The group's name, not its tag `Name`."""
    tags: SelectorTags = Field(default={}, max_length=20)
    """Tags that the security group must have, all of them; `*` matches any value."""

    def mistakes(self) -> Iterator[Mistake]:
        """Exactly one of id, name and tags: beside an id or a name Karpenter ignores the rest."""
        if [bool(self.id), bool(self.name), bool(self.tags)].count(True) != 1:
            yield Mistake("", "give either id, name or tags: each term is one of them")
        elif names_no_tag(self):
            yield NO_TAG


class CapacityReservationSelectorTermConfig(ApiSection):
    """One way to find reserved capacity, for pools whose capacity types include `reserved`."""

    id: str | None = Field(default=None, pattern=r"^cr-[0-9a-z]+$")
    """Id of the reservation; cannot be combined with other keys."""
    tags: SelectorTags = Field(default={}, max_length=20)
    """Tags that the reservation must have, all of them; `*` matches any value."""
    owner_id: str | None = Field(default=None, pattern=r"^\d{12}$")
    """Account that owns the reservation and shares it."""
    instance_match_criteria: Literal["open", "targeted"] | None = None
    """`open` reservations take matching instances by themselves, `targeted` ones only instances
    that name them.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """An id allows no other key; an owner alone finds nothing."""
        others = bool(self.tags or self.instance_match_criteria)
        if self.id and (others or self.owner_id):
            yield Mistake("id", "stands alone in its term: drop the rest of it, or the id", self.id)
        elif not self.id and not others:
            yield Mistake("", "finds nothing: give id, tags or instanceMatchCriteria")
        elif names_no_tag(self):
            yield NO_TAG


class PlacementGroupSelectorConfig(ApiSection):
    """The placement group in which all nodes of the class start; Karpenter does not create it."""

    id: str | None = Field(default=None, pattern=r"^pg-[0-9a-z]+$")
    """Id of the placement group; cannot be combined with a name."""
    name: str | None = Field(default=None, min_length=1)
    """Name of the placement group; cannot be combined with an id."""

    def mistakes(self) -> Iterator[Mistake]:
        """Exactly one of id and name."""
        if bool(self.id) == bool(self.name):
            yield Mistake("", "give either id or name")
