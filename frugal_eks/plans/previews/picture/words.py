"""Texts inside a box."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from frugal_eks.plans.json_values import mapping
from frugal_eks.plans.previews.steps import Resource

_CAPITALS = ("AWS", "CSI", "DNS", "EBS", "EC2", "EFS", "EKS", "IAM", "KMS", "NAT", "VPC")
Inputs = Mapping[str, Any]

_SPELLED = {word.lower(): word for word in _CAPITALS} | {
    "addon": "add-on",
    "addons": "add-ons",
    "fargate": "Fargate",
}
_RIGHTS = (
    "aws:iam/",
    "aws:eks/podIdentityAssociation",
    "aws:eks/access",
    "kubernetes:core/v1:ServiceAccount",
)
# Of little use to whoever looks at it for the first time.
_PLUMBING = re.compile(
    r"(Association|Attachment|Policy|Tag|Target|Patch|Endpoint|Route|RouteTable|InternetGateway"
    r"|Eip|LifecycleHook|FlowSchema|Namespace|LaunchTemplate|PriorityClass|LogGroup)$"
)
_NOUNS = {"aws:kms/key:Key": "KMS key", "aws:sqs/queue:Queue": "SQS queue"}
"""Nouns for types whose names do not say what they are."""
_FIRST = ("Cluster", "Vpc", "Subnet", "Queue", "NodePool", "Release", "Deployment")
"""Kinds that are listed before others."""
_WIDEST, _LINES = 27, 3
"""Limits of a box: letters of a line, and lines."""
_EMS = (("fijlt.,:;'|I ", 0.34), ("mwMW@", 0.92), ("ABCDEFGHKLNOPQRSTUVXYZ", 0.7))
"""Widths of letters relative to the font size; all others are as wide as digits."""
_SEVERAL = 3
"""More names than these are counted instead."""
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Approximate width of a text in pixels, rounded up, in common sans-serif fonts."""
    ems = sum(next((em for letters, em in _EMS if letter in letters), 0.59) for letter in text)
    return ems * size * (1.15 if bold else 1.02)


def is_right(resource: Resource) -> bool:
    """True if the resource only grants permissions."""
    return resource.type.startswith(_RIGHTS)


def words(camel: str) -> str:
    """Splits a camel-case name: `NatGateway` becomes `NAT gateway`; the first letter is a
    capital.
    """
    parts = re.findall(r"[A-Z]+\d*(?![a-z])|[A-Z]?[a-z]+\d*", camel)
    plain = " ".join(_SPELLED.get(part.lower(), part.lower()) for part in map(str, parts))
    return plain[:1].upper() + plain[1:]


def title(component: Resource, room: Resource | None) -> str:
    """Title of a component: its type, with its name if that says more."""
    kind = component.type.rpartition(":")[2]
    name = component.name
    if room:
        name = name.removeprefix(f"{room.name}-")
    if _letters(name) in _letters(kind):
        return words(kind)
    return f"{words(kind)} {name}"


def contents(things: Sequence[Resource], heading: str) -> tuple[str, ...]:
    """Lines of a box, most telling kinds first, without what the heading says."""
    plain = [thing for thing in things if not is_right(thing) and not _PLUMBING.search(thing.type)]
    by_kind: dict[str, list[Resource]] = {}
    for thing in sorted(plain or things, key=lambda thing: (_rank(thing), thing.urn)):
        by_kind.setdefault(thing.type, []).append(thing)
    parts = [part for kind, same_kind in by_kind.items() for part in _parts(kind, same_kind)]
    said = _letters(heading)
    new = [_shorter(part, said) for part in parts if _letters(part) not in said]
    return _lines(
        new or [str(thing.inputs["addonVersion"]) for thing in things if _is_addon(thing)]
    )


def _rank(thing: Resource) -> tuple[int, str]:
    kind = thing.type.rpartition(":")[2]
    return (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind)


def _shorter(part: str, said: str) -> str:
    """Drops a name that the heading has: `chart metrics-server 3.13.1` below `Metrics server`
    becomes `chart 3.13.1`.
    """
    kind, _, rest = part.partition(" ")
    name, _, version = rest.rpartition(" ")
    return f"{kind} {version}" if name and _letters(name) in said else part


def _is_addon(thing: Resource) -> bool:
    return "addonVersion" in thing.inputs


def _lines(parts: Sequence[str]) -> tuple[str, ...]:
    lines: list[str] = []
    for part in parts:
        if lines and len(f"{lines[-1]}, {part}") <= _WIDEST:
            lines[-1] = f"{lines[-1]}, {part}"
        else:
            lines.append(part)
    return tuple(lines[:_LINES])


def _parts(kind: str, things: Sequence[Resource]) -> list[str]:
    known = list(dict.fromkeys(detail for detail in map(_detail, things) if detail))
    if len(known) == len(things) <= _SEVERAL:
        return known
    noun = _NOUNS.get(kind) or words(kind.rpartition(":")[2])
    return [noun if len(things) == 1 else f"{len(things)} {_plural(noun)}"]


def _plural(noun: str) -> str:
    lower = noun if noun[:2].isupper() else noun[:1].lower() + noun[1:]
    return f"{lower[:-1]}ies" if lower.endswith("cy") else f"{lower}s"


def _detail(thing: Resource) -> str:
    """What tells a resource apart from others of its kind; empty if nothing does."""
    known = _DETAILS.get(thing.type.rpartition(":")[2])
    return known(thing.inputs) if known else ""


def _release(given: Inputs) -> str:
    return f"chart {given.get('name', '')} {given.get('version', '')}".rstrip()


def _deployment(given: Inputs) -> str:
    return f"{_name(given)}: {_part(given, 'spec').get('replicas', 1)} pods"


def _node_class(given: Inputs) -> str:
    return f"{_name(given)}: {_image(given)}"


def _auto_scaling_group(given: Inputs) -> str:
    return f"{given.get('minSize')} to {given.get('maxSize')} nodes"


def _managed_group(given: Inputs) -> str:
    kind = str(given.get("capacityType", "")).replace("_", " ").lower()
    return f"{_auto_scaling_group(_part(given, 'scalingConfig'))} {kind}".rstrip()


def _cluster(given: Inputs) -> str:
    version = str(given.get("version", ""))
    return f"Kubernetes {version}" if _VERSION.fullmatch(version) else ""


def _pool(given: Inputs) -> str:
    spec = _part(given, "spec")
    node = _part(_part(spec, "template"), "spec")
    requirements = cast("Sequence[Inputs]", node.get("requirements", ()))
    kinds = [
        str(kind)
        for requirement in requirements
        if requirement["key"] == "karpenter.sh/capacity-type"
        for kind in requirement["values"]
    ]
    return f"{_name(given)}: {', '.join(kinds)}".removesuffix(": ")


def _profile(given: Inputs) -> str:
    selectors = cast("Sequence[Inputs]", given.get("selectors", ()))
    # Its own name has an end that is another with each preview.
    return f"profile {', '.join(str(s.get('namespace', '')) for s in selectors)}".rstrip()


def _image(given: Inputs) -> str:
    terms = cast("Sequence[Inputs]", _part(given, "spec").get("amiSelectorTerms", ()))
    return next((term["alias"] for term in terms if "alias" in term), "images by id")


def _name(given: Inputs) -> str:
    return str(_part(given, "metadata").get("name", ""))


def _part(given: Inputs, key: str) -> Inputs:
    return mapping(given.get(key))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_DETAILS: Mapping[str, Callable[[Inputs], str]] = {
    "Addon": lambda given: str(given.get("addonName", "")),
    "Cluster": _cluster,
    "Deployment": _deployment,
    "EC2NodeClass": _node_class,
    "FargateProfile": _profile,
    "Group": _auto_scaling_group,
    "NodeGroup": _managed_group,
    "NodePool": _pool,
    "Release": _release,
}
"""Details by the last part of the type."""
