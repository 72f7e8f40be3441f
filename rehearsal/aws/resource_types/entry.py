"""Vocabulary of the table of AWS types; `resource_types/*.py` are its pages."""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Values = dict[str, Any]


class Trait(enum.Enum):
    """Traits of a property, beside its spelling."""

    REQUIRED = "must be given"
    REPLACES = "a change makes a new resource"
    COMPUTED = "AWS fills it in where it is absent"
    UNORDERED = "lists in it are sets"
    EXACT = "keys that AWS has and the program has not are a difference"
    UNREAD = "AWS does not tell it: what the program gave counts"


REQUIRED, REPLACES, COMPUTED, UNORDERED, EXACT, UNREAD = Trait


@dataclass(frozen=True)
class Codec:
    """Conversion between a property's value and AWS's form of it."""

    to_api: Callable[[Any], Any]
    from_api: Callable[[Any], Any]
    same: Callable[[Any, Any], bool] | None = None
    """True if two values, both in the program's form, are equivalent; None to compare them
    plainly.
    """
    inside: bool = False
    """True if names inside the value still need conversion to AWS's spelling and back."""


@dataclass(frozen=True, kw_only=True)
class Property:
    """One input of a Pulumi type. Names are those of the SDK, in camelCase."""

    traits: frozenset[Trait] = frozenset()
    api: str = ""
    """Dotted path in AWS's requests; empty: the property's own name in AWS's spelling."""
    at: str = ""
    """JMESPath in AWS's description, if it differs from `api`."""
    default: Any = None
    """Default of the real provider."""
    defaults_inside: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Defaults of the real provider inside a nested value."""
    cleared: Any = None
    """Value that an update sends if the program does not set the property any more."""
    codec: Codec | None = None
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names inside a nested value that AWS spells differently: ours to AWS's."""
    one_of: tuple[Any, ...] = ()
    """Allowed values that AWS's published model does not list."""
    within: tuple[int, int] | None = None
    """Smallest and largest allowed number that AWS's published model does not give."""
    refers_to: str = ""
    """Type of the resource whose id this is: it must exist."""
    autoname: int = 0
    """Greatest length of the name that is made where none is given; 0: none is made.

    The bridge's limit, which for some types is wider than AWS's own: then `longest` or AWS's
    published model refuses the name that was made.
    """
    longest: int = 0
    """Maximum length that the provider accepts, if AWS's published model gives none or more."""
    prefix: str = ""
    """Prefix of a generated name."""
    computed_inside: tuple[str, ...] = ()
    """Names inside a nested value that AWS fills in: unknown until the resource is there."""
    replaces_when: Callable[[Any, Any], bool] | None = None
    """Function of old and new value: True if this change requires a replacement."""
    replaces_if: Callable[[Values], bool] | None = None
    """Function of the new inputs: True if they make any change a replacement."""

    def __contains__(self, trait: Trait) -> bool:
        return trait in self.traits


def prop(*traits: Trait, **details: Any) -> Property:
    """A property, its traits first."""
    return Property(traits=frozenset(traits), **details)


@dataclass(frozen=True)
class Call:
    """One AWS request. Properties that the operation has a parameter for are passed by themselves.

    `parameters` are templates: "{name}" stands for a property, "{id}", "{arn}", "{region}",
    "{account}", "{partition}", "{old.name}" (before an update) or a key of what AWS described.
    A template that names something absent is left out, with the object it stands in; "{name?}"
    is left out alone.
    """

    operation: str
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    takes: tuple[str, ...] | None = None
    """Properties to pass by themselves; None for all that fit."""
    at: str = "@"
    """JMESPath to what matters in the response; placeholders allowed."""
    tolerates: tuple[str, ...] = ()
    """Error codes that mean there is nothing to do."""


def call(
    operation: str,
    *,
    takes: tuple[str, ...] | None = None,
    at: str = "@",
    tolerates: tuple[str, ...] = (),
    **parameters: Any,
) -> Call:
    """An AWS request with the templates of its parameters as keywords."""
    return Call(operation, parameters, takes, at, tolerates)


Step = Call | Callable[[Any], Any]
"""An AWS request, or a function if one request is not enough."""


@dataclass(frozen=True)
class When:
    """A step of an update that runs if one of these properties changed."""

    changed: tuple[str, ...]
    step: Step
    at_create: bool = False
    """True if creation needs the step too, for what the create request cannot set."""


@dataclass(frozen=True)
class Ready:
    """The states that AWS reports while it works."""

    at: str
    """JMESPath to the state in the description."""
    states: tuple[str, ...]
    pending: tuple[str, ...]
    gone: tuple[str, ...] = ()
    """States in which the resource no longer counts."""
    why: str = ""
    """JMESPath to the reason when it fails."""


IN_USE = "DependencyViolation"


@dataclass(frozen=True)
class InUse:
    """A user of the resource that must be gone before its deletion: AWS refuses with `code`."""

    by: Call
    """Call that returns the names of the users; an empty answer means free."""
    code: str = IN_USE


DEFAULT_TIMEOUT_MINUTES = 20
"""Minutes that the provider waits if a type declares no time-out."""


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long the provider waits, in minutes. 0: it declares no such time-out.

    `customTimeouts` reaches declared ones alone.
    """

    create: int = 0
    update: int = 0
    delete: int = 0

    def seconds(self, operation: str, requested: float) -> float:
        """Seconds that an operation may take; `requested` are the program's seconds, 0 for none."""
        declared = getattr(self, operation, 0)
        return (declared and requested) or (declared or DEFAULT_TIMEOUT_MINUTES) * 60.0


@dataclass(frozen=True)
class Retry:
    """A refusal after which the provider repeats a request, if AWS is late to know a new
    resource.
    """

    code: str
    minutes: float
    """Minutes for which the provider repeats the request."""
    texts: tuple[str, ...] = ()
    """Texts, one of which the message contains; empty for any message."""
    capped: bool = True
    """True if the time-out of the operation ends it earlier."""

    def fits(self, code: str, message: str) -> bool:
        """True if a refusal has this code and text."""
        return code == self.code and (not self.texts or any(t in message for t in self.texts))


@dataclass(frozen=True)
class Text:
    """An output built from a template as in `Call`."""

    template: str


@dataclass(frozen=True, kw_only=True)
class ResourceType:
    """A Pulumi type as AWS requests. Adding a type is adding one of these to a page."""

    token: str
    service: str
    properties: Mapping[str, Property]
    id: str | Callable[[Values], str]
    """JMESPath in the create response, a template (with braces), or a function of the inputs."""
    create: tuple[Step, ...]
    """Steps of a creation; the first one creates the resource."""
    before: tuple[Step, ...] = ()
    """Look-ups before `create`, which sees their results as if AWS had described them."""
    read: tuple[Step, ...]
    """Steps of a read; the first one finds the resource, and the answers are merged."""
    delete: tuple[Step, ...]
    update: tuple[When | Step, ...] = ()
    outputs: Mapping[str, str | Text] = field(default_factory=dict[str, str | Text])
    """Values that AWS computes: JMESPath in the description, or a `Text`."""
    changing: tuple[str, ...] = ()
    """Outputs that an update changes, unknown in its preview."""
    ready: Ready | None = None
    timeouts: Timeouts = Timeouts()
    retries: tuple[Retry, ...] = ()
    """Refusals of a create, or of an update, that are not final."""
    in_use: tuple[InUse, ...] = ()
    delete_retries: tuple[Retry, ...] = ()
    """Refusals of a delete that are not final: what uses the resource may be on its way out."""
    lock: str = ""
    """Template: resources with the same text are created and deleted one after the other."""
    rules: tuple[Callable[[Values], str | None], ...] = ()
    """Rules over the known inputs; each returns what AWS would refuse, or None."""
    delete_first: bool = False
    """A replacement must wait until the old one is gone, since both cannot exist."""
    regional: bool = True
    default_tags: bool = True
    """True if `tags` is a map, to which the provider adds the tags of the whole stack."""

    @property
    def tag_map(self) -> bool:
        """True if the type takes tags as a map."""
        return "tags" in self.properties and self.default_tags

    def steps(self) -> tuple[When, ...]:
        """Update steps, each with the properties that trigger it."""
        return tuple(s if isinstance(s, When) else When((), s) for s in self.update)


def exactly_one(*names: str) -> Callable[[Values], str | None]:
    """A rule that exactly one of these properties is set."""

    def rule(inputs: Values) -> str | None:
        given = [name for name in names if inputs.get(name) is not None]
        if len(given) == 1:
            return None
        return f"exactly one of {', '.join(names)} must be given (got {', '.join(given) or 'none'})"

    return rule
