"""How subnets, security groups, reservations and placement groups are found."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from ...section import Mistake
from .api_section import ApiSection

_NotEmpty = Annotated[str, Field(min_length=1)]
SelectorTags = Mapping[_NotEmpty, _NotEmpty]
"""All of them must be there; `*` as value: any."""


NO_TAG = Mistake("tags", "names no tag: add one, or drop tags", {})
"""The API server takes empty tags for given ones, and refuses them beside an id."""


def names_no_tag(term: ApiSection) -> bool:
    """True if the stack file gives the term's `tags` and leaves them empty."""
    return "tags" in term.model_fields_set and not getattr(term, "tags", None)


class SubnetSelectorTermConfig(ApiSection):
    """One way to find subnets: by id, or by all of the tags."""

    id: str | None = Field(default=None, pattern=r"^subnet-[0-9a-z]+$")
    """The subnet's own, without tags beside it."""
    tags: SelectorTags = Field(default={}, max_length=20)
    """All of them must be there; `*` as value: any."""

    def mistakes(self) -> Iterator[Mistake]:
        """One of both: the API server refuses a term with both only where all have both."""
        if bool(self.id) == bool(self.tags):
            yield Mistake("", "give either id or tags: each term is one of them")
        elif names_no_tag(self):
            yield NO_TAG


class SecurityGroupSelectorTermConfig(ApiSection):
    """One way to find security groups. A node gets every group that any term finds, and no two of
    them may carry the cluster's tag: the load balancer controller then finds none."""

    id: str | None = Field(default=None, pattern=r"^sg-[0-9a-z]+$")
    """The group's own, with nothing beside it."""
    name: str | None = Field(default=None, min_length=1)
    """The group's name, not its tag `Name`."""
    tags: SelectorTags = Field(default={}, max_length=20)
    """All of them must be there; `*` as value: any."""

    def mistakes(self) -> Iterator[Mistake]:
        """One of the three: beside an id or a name Karpenter does not look at the rest."""
        if [bool(self.id), bool(self.name), bool(self.tags)].count(True) != 1:
            yield Mistake("", "give either id, name or tags: each term is one of them")
        elif names_no_tag(self):
            yield NO_TAG


class CapacityReservationSelectorTermConfig(ApiSection):
    """One way to find reserved capacity, for pools whose capacity types have `reserved`."""

    id: str | None = Field(default=None, pattern=r"^cr-[0-9a-z]+$")
    """The reservation's own, with nothing beside it."""
    tags: SelectorTags = Field(default={}, max_length=20)
    """All of them must be there; `*` as value: any."""
    owner_id: str | None = Field(default=None, pattern=r"^\d{12}$")
    """The account that shares it."""
    instance_match_criteria: Literal["open", "targeted"] | None = None
    """Whether instances get into it by themselves, `open`, or only where they name it,
    `targeted`."""

    def mistakes(self) -> Iterator[Mistake]:
        """An id says it all; an owner alone says nothing."""
        others = bool(self.tags or self.instance_match_criteria)
        if self.id and (others or self.owner_id):
            yield Mistake("id", "stands alone in its term: drop the rest of it, or the id", self.id)
        elif not self.id and not others:
            yield Mistake("", "finds nothing: give id, tags or instanceMatchCriteria")
        elif names_no_tag(self):
            yield NO_TAG


class PlacementGroupSelectorConfig(ApiSection):
    """The placement group in which all nodes of the class start; Karpenter makes none."""

    id: str | None = Field(default=None, pattern=r"^pg-[0-9a-z]+$")
    """The group's own, without a name beside it."""
    name: str | None = Field(default=None, min_length=1)
    """The group's name, without an id beside it."""

    def mistakes(self) -> Iterator[Mistake]:
        """One of both."""
        if bool(self.id) == bool(self.name):
            yield Mistake("", "give either id or name")
