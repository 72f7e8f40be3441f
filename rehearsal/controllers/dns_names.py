"""Determines which names ExternalDNS wants for a cluster's Services and Ingresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from lightkube.resources.core_v1 import Service
from lightkube.resources.networking_v1 import Ingress

from rehearsal.controllers.arguments import Arguments, ArgumentsError
from rehearsal.controllers.load_balancer_controller import Thing, hostname_of
from rehearsal.controllers.model import words
from rehearsal.nodes import cluster

PREFIX = "external-dns.alpha.kubernetes.io/"
"""Default prefix of 0.21; 0.22 has another one."""
SOURCES: Mapping[str, type[Service] | type[Ingress]] = {"service": Service, "ingress": Ingress}
POLICIES = ("sync", "upsert-only", "create-only")
ZONE_TYPES = ("", "public", "private")
MEANINGLESS_HERE = frozenset(
    {
        "annotation-prefix",
        "aws-api-retries",
        "aws-batch-change-interval",
        "aws-batch-change-size",
        "aws-zones-cache-duration",
        "log-format",
        "log-level",
        "metrics-address",
        "request-timeout",
    }
)
"""Options without an effect on what is played."""
PLAYED = frozenset(
    {
        "aws-prefer-cname",
        "aws-zone-type",
        "domain-filter",
        "events",
        "exclude-domains",
        "ignore-ingress-rules-spec",
        "ignore-ingress-tls-spec",
        "interval",
        "policy",
        "provider",
        "registry",
        "source",
        "txt-owner-id",
        "zone-id-filter",
    }
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of one ExternalDNS. The defaults are those of the binary 0.21."""

    sources: tuple[str, ...]
    policy: str
    owner: str
    prefix: str
    domains: tuple[str, ...]
    """Domains that it manages; none means all."""
    excluded: tuple[str, ...]
    zone_ids: tuple[str, ...]
    zone_type: str
    interval: float
    """Interval in seconds."""
    events: bool
    """True if it also reacts to changes of its sources."""
    prefer_cname: bool
    rules: bool
    """True if the hosts of an Ingress's rules count."""
    tls: bool

    @classmethod
    def read(cls, arguments: Arguments) -> "Settings":
        """Settings from the arguments. Raises ArgumentsError about what is refused or not
        played.
        """
        arguments.require_known(PLAYED | MEANINGLESS_HERE)
        sources = tuple(arguments.all("source"))
        _among(sources, tuple(SOURCES), "source")
        if not sources:
            raise ArgumentsError("--source must be given")
        _among((arguments.text("provider", "aws"),), ("aws",), "provider")
        _among((arguments.text("registry", "txt"),), ("txt",), "registry")
        policy, zone_type = arguments.text("policy", "sync"), arguments.text("aws-zone-type")
        _among((policy,), POLICIES, "policy")
        _among((zone_type,), ZONE_TYPES, "aws-zone-type")
        return cls(
            sources=sources,
            policy=policy,
            owner=arguments.text("txt-owner-id", "default"),
            prefix=arguments.text("annotation-prefix", PREFIX),
            domains=tuple(_bare(domain) for domain in arguments.all("domain-filter") if domain),
            excluded=tuple(_bare(domain) for domain in arguments.all("exclude-domains") if domain),
            zone_ids=tuple(zone.rpartition("/")[2] for zone in arguments.all("zone-id-filter")),
            zone_type=zone_type,
            interval=arguments.seconds("interval", 60.0),
            events=arguments.on("events"),
            prefer_cname=arguments.on("aws-prefer-cname"),
            rules=not arguments.on("ignore-ingress-rules-spec"),
            tls=not arguments.on("ignore-ingress-tls-spec"),
        )

    def covers(self, name: str) -> bool:
        """True if the filters include this name."""
        if any(below(name, domain) for domain in self.excluded):
            return False
        return not self.domains or any(below(name, domain) for domain in self.domains)


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A name that should point to a load balancer."""

    name: str
    target: str
    resource: str
    """Resource of the name, such as service/default/web."""


def wishes(things: list[Thing], settings: Settings) -> list[Wish]:
    """One wish for each name; if several objects want it, the first by kind and name gets it."""
    by_host: dict[str, Wish] = {}
    for thing in things:
        target = hostname_of(thing)
        if target is None or not _published(thing, settings):
            continue
        kind, (namespace, name) = type(thing).__name__.lower(), cluster.name_of(thing)
        resource = f"{kind}/{namespace}/{name}"
        for host in _hosts(thing, settings):
            if settings.covers(host):
                wish = Wish(name=host, target=target, resource=resource)
                by_host[host] = min(
                    wish, by_host.get(host, wish), key=lambda candidate: candidate.resource
                )
    return [by_host[name] for name in sorted(by_host)]


def below(name: str, domain: str) -> bool:
    """True if a name is the domain or in it; a domain with a leading dot excludes itself."""
    return name == domain or name.endswith("." + domain.removeprefix("."))


def _published(thing: Thing, settings: Settings) -> bool:
    controller = cluster.annotations(thing).get(f"{settings.prefix}controller", "dns-controller")
    loaded = isinstance(thing, Ingress) or bool(thing.spec and thing.spec.type == "LoadBalancer")
    return loaded and controller == "dns-controller"


def _hosts(thing: Thing, settings: Settings) -> set[str]:
    hosts = set(words(cluster.annotations(thing).get(f"{settings.prefix}hostname", "")))
    if isinstance(thing, Ingress):
        spec = cast(Any, thing.spec)
        rules: list[Any] = spec.rules or []
        secured: list[Any] = spec.tls or []
        hosts |= {rule.host for rule in rules if settings.rules and rule.host}
        for entry in secured if settings.tls else []:
            hosts |= set(entry.hosts or [])
    return {_bare(host) for host in hosts}


def _bare(name: str) -> str:
    return name.rstrip(".").lower()


def _among(values: tuple[str, ...], allowed: tuple[str, ...], option: str) -> None:
    for value in values:
        if value not in allowed:
            raise ArgumentsError(f"--{option}={value} is not played by the rehearsal")
