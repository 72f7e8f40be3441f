"""Images of a node class: AWS's own by an alias, or any by id, name, tags or parameter."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from ...section import Mistake
from .api_section import ApiSection
from .selectors import SelectorTags

Family = Literal[
    "AL2", "AL2023", "Bottlerocket", "Custom", "Windows2019", "Windows2022", "Windows2025"
]
"""AMI family, which decides on the format of user data and on the disks that an image has."""

FAMILIES: dict[str, Family] = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
    "windows2019": "Windows2019",
    "windows2022": "Windows2022",
    "windows2025": "Windows2025",
}
"""AMI families by the word before the @ of an alias."""

LATEST = "latest"

_DATED = (r"v20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", "@v20260930")
_RELEASES = {
    "al2": _DATED,
    "al2023": _DATED,
    "bottlerocket": (r"v?\d+\.\d+\.\d+", "@v1.66.0"),
}
"""For each alias, the pattern of a release and an example; Windows has no release to pin."""

_WHO_DECIDES = "AWS would decide when every node is replaced, since each new image drifts them all"
# Parameters of AWS's whose value changes with each release.
_MOVING = re.compile(r"/(latest|recommended)(/|$)|/ami-[a-z]+-latest/")
_AWS_PARAMETERS = "/aws/service/"

ParameterName = Annotated[
    str,
    Field(
        pattern=r"^(arn:aws[a-z-]*:ssm:[a-z0-9-]+:\d{12}:parameter/)?"
        r"[A-Za-z0-9_./-]+(:[A-Za-z0-9_.-]+)?$",
        max_length=2048,
    ),
]
"""Name or ARN of a parameter in Parameter Store, with or without a version."""


class AmiSelectorTermConfig(ApiSection):
    """One way to find images. Several terms add up; of several images that fit an instance type the
    newest is used.
    """

    alias: str | None = None
    """An image of AWS by family and release, `al2023@v20260930`. It must be the only term, with no
    other key in it.
    """
    id: str | None = Field(default=None, pattern=r"^ami-[0-9a-z]+$")
    """Id of the image; no other key goes with it."""
    name: str | None = Field(default=None, min_length=1)
    """The image's name, not its tag `Name`. `*` and `?` match any text, so that future images fit
    as well: allowed only with owner self, or with allowLatest.
    """
    owner: str | None = Field(default=None, pattern=r"^(\d{12}|self|amazon|aws-marketplace)$")
    """Owner of the images, together with a name or tags. Absent: `self` and `amazon` if there is a
    name.
    """
    tags: SelectorTags = Field(default={}, max_length=20)
    """Tags that the image must have, all of them; `*` matches any value."""
    ssm_parameter: ParameterName | None = None
    """Parameter that holds the image's id. For a parameter outside /aws/service the stack lets
    Karpenter read that one ARN.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """A term must find something; alias, id and ssmParameter exclude other keys."""
        alone = {"alias": self.alias, "id": self.id, "ssmParameter": self.ssm_parameter}
        searched = {"name": self.name, "owner": self.owner, "tags": self.tags or None}
        keys = [key for key, value in (alone | searched).items() if value is not None]
        ways = "alias, id, ssmParameter, or name and tags"
        if not keys:
            yield Mistake("", f"finds nothing: give one of {ways}")
        elif keys == ["owner"]:
            yield Mistake("owner", "finds every image of theirs: add name or tags", self.owner)
        elif len(keys) > 1 and (set(keys) & alone.keys()):
            listed = ", ".join(keys)
            yield Mistake("", f"gives {listed}: keep one of {ways}")


def image_mistakes(
    ami_alias: str | None,
    terms: Sequence[AmiSelectorTermConfig] | None,
    ami_family: Family | None,
    *,
    allow_latest: bool,
) -> Iterator[Mistake]:
    """Mistakes in a class's choice of images."""
    if (ami_alias is None) == (terms is None):
        problem = "give either amiAlias, for example al2023@v20260930, or amiSelectorTerms"
        yield Mistake("amiAlias", problem, ami_alias)
        return
    if ami_alias is not None:
        yield from _alias_mistakes("amiAlias", ami_alias, ami_family, allow_latest=allow_latest)
    for number, term in enumerate(terms or ()):
        path = f"amiSelectorTerms[{number}]"
        if term.alias is not None:
            problems = _alias_mistakes(
                f"{path}.alias", term.alias, ami_family, allow_latest=allow_latest
            )
            yield from problems
        if term.ssm_parameter and moves(term.ssm_parameter) and not allow_latest:
            problem = f"points to AWS's newest image: {_WHO_DECIDES}; name the parameter of one "
            problem += "release, or set allowLatest: true"
            yield Mistake(f"{path}.ssmParameter", problem, term.ssm_parameter)
        if term.name and follows(term.name, term.owner) and not allow_latest:
            problem = "fits images to come as well, and Karpenter takes the newest: "
            problem += "whoever publishes one would replace every node; write the whole name or "
            problem += "the id of one image, add owner: self, or set allowLatest: true"
            yield Mistake(f"{path}.name", problem, term.name)
    aliases = [term.alias for term in terms or () if term.alias is not None]
    if aliases and len(terms or ()) > 1:
        problem = "an alias is the only term: drop the others, or write none as alias"
        yield Mistake("amiSelectorTerms", problem, ", ".join(aliases))
    if terms is not None and not aliases and ami_family is None:
        problem = "is needed where no alias says it: add it, Custom for an image of your own"
        yield Mistake("amiFamily", f"{problem} that joins by itself")


def _alias_mistakes(
    path: str, alias: str, ami_family: Family | None, *, allow_latest: bool
) -> Iterator[Mistake]:
    problem = alias_problem(alias, allow_latest=allow_latest)
    if problem:
        yield Mistake(path, problem, alias)
    own = FAMILIES.get(alias.partition("@")[0])
    if own and ami_family not in (None, own, "Custom"):
        remedy = f"the alias is of {own}: write that, or Custom, or drop it"
        yield Mistake("amiFamily", remedy, ami_family)


def alias_problem(alias: str, *, allow_latest: bool) -> str | None:
    """Why Karpenter or this program refuses the alias, and what to do; None if it is right."""
    word, _, release = alias.partition("@")
    if word not in FAMILIES:
        known = ", ".join(FAMILIES)
        return f"is no alias: write family@release, for example al2023@v20260930; families: {known}"
    windows = word not in _RELEASES
    if release == LATEST:
        pin = "select one image by amiSelectorTerms" if windows else f"pin {_example(word)}"
        return None if allow_latest else f"{_WHO_DECIDES}: {pin}, or set allowLatest: true"
    if windows:
        return f"Windows has no pinned alias: write {word}@latest and allowLatest: true"
    form, _ = _RELEASES[word]
    if not re.fullmatch(form, release):
        return f"is no release of {FAMILIES[word]}: write it like {_example(word)}"
    return None


def family_of(
    terms: Sequence[AmiSelectorTermConfig], ami_family: Family | None, ami_alias: str | None = None
) -> Family:
    """AMI family that counts: the file's, else the alias's, else Karpenter's default, Custom."""
    aliases = [ami_alias, *(term.alias for term in terms)]
    words = [alias.partition("@")[0] for alias in aliases if alias]
    return ami_family or FAMILIES.get(words[0] if words else "", "Custom")


def moves(parameter: str) -> bool:
    """True if AWS changes the value of this parameter at each release."""
    return is_aws_own(parameter) and bool(_MOVING.search(parameter))


def follows(name: str, owner: str | None) -> bool:
    """True if somebody else's future image can fit the name: EC2's filters take `*` and `?` as any
    text. Images in your own account appear only when you make them.
    """
    return owner != "self" and bool(set("*?") & set(name))


def is_aws_own(parameter: str) -> bool:
    """True if AWS publishes the parameter for everyone, below /aws/service."""
    return parameter.rpartition(":parameter")[2].startswith(_AWS_PARAMETERS)


def _example(word: str) -> str:
    return f"{word}{_RELEASES[word][1]}"
