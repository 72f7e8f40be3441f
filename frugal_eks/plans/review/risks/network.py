"""Finds resources that can be reached from more places than before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frugal_eks.plans.json_values import elements, last_name, mapping, shown, texts
from frugal_eks.plans.previews import UNKNOWN, Change, Preview, Resource
from frugal_eks.plans.previews.markdown import code, codes
from frugal_eks.plans.review.differences import ABSENT, at, compare
from frugal_eks.plans.review.risk import Concern, Risk, changed
from frugal_eks.plans.review.risks.statements import subnet

GROUP = "aws:ec2/securityGroup:SecurityGroup"
RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
CLUSTER = "aws:eks/cluster:Cluster"
ALL = ("0.0.0.0/0", "::/0")
_OPENINGS = 8
"""Maximum openings of one group that are listed singly."""

# Properties of any type that hold ranges which may come in.
_RANGES = {
    "sourceRanges",
    "loadBalancerSourceRanges",
    "authorizedIpRanges",
    "allowedCidrs",
    "inboundCidrs",
    "whitelistedIps",
    "sourceAddressPrefixes",
}
# The value that keeps shut, by the name of a property of any type.
_SHUT: Mapping[str, str] = {
    "publiclyAccessible": "false",
    "publicNetworkAccessEnabled": "false",
    "associatePublicIpAddress": "false",
    "mapPublicIpOnLaunch": "false",
    "internal": "true",
    "blockPublicAcls": "true",
    "blockPublicPolicy": "true",
    "ignorePublicAcls": "true",
    "restrictPublicBuckets": "true",
    "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
    "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
    "alb.ingress.kubernetes.io/scheme": "internal",
}
_GUARDS = {"BucketPublicAccessBlock", "AccountPublicAccessBlock", "NetworkPolicy"}
"""Kinds that restrict access by their existence."""


@dataclass(frozen=True)
class Opening:
    """A source that may connect, and the ports it may connect to."""

    protocol: str
    """`-1` is every protocol."""
    first: int
    last: int
    source: str
    """An address range, or the id of a group or a prefix list."""

    def covers(self, other: "Opening") -> bool:
        """True if this opening admits all that the other one does."""
        if self.protocol == "-1":
            return subnet(other.source, self.source)
        ports = self.first <= other.first and other.last <= self.last
        return self.protocol == other.protocol and ports and subnet(other.source, self.source)

    def __str__(self) -> str:
        if self.protocol == "-1":
            return f"{code(self.source)} to every port"
        ports = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{code(self.source)} to {code(f'{self.protocol} {ports}')}"


def find(preview: Preview) -> Iterator[Risk]:
    """For new groups and clusters openings to the whole internet, for existing ones every new
    opening.
    """
    had: dict[str, list[Opening]] = {}
    for resource in preview.before:
        had.setdefault(_group(resource), []).extend(_openings(resource))
    for change in changed(preview):
        openings = [
            *_opened(change, had),
            *_endpoint(change),
            *_properties(change),
            *_guards(change, preview),
        ]
        yield from (Risk(Concern.NETWORK, change, text) for text in openings)


def _opened(change: Change, had: Mapping[str, list[Opening]]) -> Iterator[str]:
    if not change.new or change.type not in {GROUP, RULE, INGRESS}:
        return
    # A group that is replaced has another id, and the same name.
    before = had.get(_group(change.new), []) + (_openings(change.old) if change.old else [])
    is_new = change.operation == "create" and _group(change.new) == change.urn
    wider = [
        opening
        for opening in _openings(change.new)
        if not any(was.covers(opening) for was in before) and (not is_new or opening.source in ALL)
    ]
    for opening in wider[:_OPENINGS]:
        yield f"lets in {opening}"
    if len(wider) > _OPENINGS:
        yield f"lets in {len(wider) - _OPENINGS} more"


def _group(resource: Resource) -> str:
    """Security group that a rule belongs to; for other resources their own URN."""
    if resource.type == GROUP:
        return resource.id or resource.urn
    group = resource.inputs.get("securityGroupId")
    if isinstance(group, str) and group != UNKNOWN and resource.type in {RULE, INGRESS}:
        return group
    return resource.urn


def _openings(resource: Resource) -> list[Opening]:
    given = resource.inputs
    if resource.type == GROUP:
        rules = elements(given.get("ingress"))
        return [opening for rule in rules for opening in _rule(mapping(rule))]
    if resource.type == INGRESS or (resource.type == RULE and given.get("type") == "ingress"):
        return list(_rule(given))
    return []


def _rule(given: Mapping[str, Any]) -> Iterator[Opening]:
    protocol = str(given.get("protocol") or given.get("ipProtocol") or "-1").lower()
    protocol = "-1" if protocol == "all" else protocol
    first, last = (_port(given.get(key)) for key in ("fromPort", "toPort"))
    names = ("cidrBlocks", "ipv6CidrBlocks", "prefixListIds", "securityGroups")
    sources = [source for name in names for source in texts(given.get(name))]
    alone = ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")
    for name in (*alone, "sourceSecurityGroupId"):
        sources += texts([given.get(name)])
    if given.get("self"):
        sources.append("itself")
    for source in sources:
        yield Opening(protocol, first, last, "known after up" if source == UNKNOWN else source)


def _endpoint(change: Change) -> Iterator[str]:
    if not change.new or change.type != CLUSTER:
        return
    now = _public(change.new)
    before = _public(change.old) if change.old else []
    wider = [cidr for cidr in now if not any(subnet(cidr, was) for was in before)]
    if change.operation == "create":
        wider = [cidr for cidr in wider if cidr in ALL]
    if wider:
        yield f"has its API server open to {codes(wider)}"


def _public(cluster: Resource) -> list[str]:
    given = mapping(cluster.inputs.get("vpcConfig"))
    # EKS: public is the default, and to the whole world.
    if str(given.get("endpointPublicAccess", True)).lower() == "false":
        return []
    return texts(given.get("publicAccessCidrs")) or ["0.0.0.0/0"]


def _properties(change: Change) -> Iterator[str]:
    if not (change.old and change.new):
        return
    lists: set[str] = set()
    for difference in compare(change.old.inputs, change.new.inputs):
        name = last_name(difference.path)
        shut = _SHUT.get(name)
        if (
            shut
            and _is(difference.old, shut)
            and not _is(difference.new, shut)
            and difference.new != UNKNOWN
        ):
            now = "nothing" if difference.new is ABSENT else shown(difference.new)
            yield f"has {code(difference.path)} no longer {code(shut)}, but {code(now)}"
        lists |= {
            difference.path.partition(name_of_ranges)[0] + name_of_ranges
            for name_of_ranges in _RANGES
            if name_of_ranges in difference.path
        }
    for path in sorted(lists):
        before, now = (at(side.inputs, path) for side in (change.old, change.new))
        # Without a list, everybody.
        was = texts(before) or list(ALL)
        if wider := [
            cidr for cidr in texts(now) or list(ALL) if not any(subnet(cidr, w) for w in was)
        ]:
            yield f"lets in {codes(wider)} at {code(path)}"


def _guards(change: Change, preview: Preview) -> Iterator[str]:
    if change.operation != "delete" or change.type.rpartition(":")[2] not in _GUARDS:
        return
    gone = {other.urn for other in preview.changes if other.operation == "delete"}
    if change.old and not gone & {*change.old.dependencies}:
        yield "is deleted: what it kept shut is open"


def _is(value: Any, wanted: str) -> bool:
    return isinstance(value, (bool, str)) and str(value).lower() == wanted


def _port(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return -1
