"""The section of ExternalDNS in the stack file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...section import Mistake
from ..addon_config import PodsConfig

DnsName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$", max_length=253, examples=["example.com"]),
]


class ExternalDnsConfig(PodsConfig):
    """ExternalDNS: the zones whose records it writes, and whether it deletes records."""

    CHART_NAME: ClassVar[str] = "external-dns"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "external-dns",
        "app.kubernetes.io/instance": "external-dns",
    }
    NO_ENDPOINT: ClassVar[str | None] = "Route 53"

    zones: tuple[DnsName, ...] = Field(min_length=1, examples=[["example.com"]])
    """Names of hosted zones in this account; each must exist."""
    zone_type: Literal["public", "private"] = "public"
    """Type of the zones; if a name has both a public and a private zone, only this one is
    written.
    """
    exclude_domains: tuple[DnsName, ...] = ()
    """Parts of the zones whose records are left alone."""
    policy: Literal["upsert-only", "sync"] = "upsert-only"
    """`sync` also deletes the records of Services and Ingresses that are gone; `upsert-only` does
    not.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses exclusions that exclude nothing, and pods that would write the same records."""
        for i, name in enumerate(self.exclude_domains):
            if not any(lies_in(name, zone) for zone in self.zones):
                yield Mistake(
                    f"excludeDomains[{i}]", "lies in none of zones: correct it or drop it", name
                )
        if self.replicas > 1:
            problem = "is always 1, since two pods would write the same records at once: drop it"
            yield Mistake("replicas", problem, self.replicas)


def hostname_problem(
    hostname: str, zones: Sequence[str], excluded: Sequence[str] = ()
) -> str | None:
    """Why ExternalDNS would write no record for the name, and what to do; None if it will."""
    if hostname in zones:
        return (
            "is a whole zone, whose own name cannot hold the record's owner: put a name before it"
        )
    if not any(lies_in(hostname, zone) for zone in zones):
        return (
            f"lies in no zone of addons.externalDns.zones ({', '.join(zones)}): "
            "correct it, or add its zone there"
        )
    if any(lies_in(hostname, domain) for domain in excluded):
        return "is left alone by addons.externalDns.excludeDomains: choose another, or exclude less"
    return None


def lies_in(name: str, domain: str) -> bool:
    """True if the name is the domain itself or lies below it."""
    return f".{name}".endswith(f".{domain}")
