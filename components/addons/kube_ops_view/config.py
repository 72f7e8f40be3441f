"""The section of kube-ops-view in the stack file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from ... import versions
from ...addresses import PRIVATE_RANGES, AddressRange
from ...section import Mistake
from ..addon_config import Need, PodsConfig
from ..external_dns.config import DnsName

WIDEST = 8
"""Prefix length of 10.0.0.0/8: a wider range is no longer a private network."""


class KubeOpsViewConfig(PodsConfig):
    """kube-ops-view: its chart, and access to the page. The page has no login: whoever reaches it
    sees the names of all pods and nodes.
    """

    CHART_NAME: ClassVar[str] = "kube-ops-view"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "kube-ops-view",
        "app.kubernetes.io/instance": "kube-ops-view",
    }

    chart_version: str = Field(default=versions.KUBE_OPS_VIEW_CHART, pattern=r"^\d+\.\d+\.\d+$")
    """Version of the chart. A newer version changes nothing until it is set here."""
    time_zone: str = Field(default="UTC", pattern=r"^[A-Za-z]\w*([/+-]\w+)*$")
    """The time zone of the times on the page, for example `Asia/Seoul`."""
    load_balancer: Literal["nlb", "alb"] | None = None
    """`nlb` serves the page at port 8080 through a Service, `alb` at port 80 through an Ingress.
    Absent: the page is reached only by `kubectl port-forward --namespace kube-system
    service/kube-ops-view 8080`.
    """
    hostname: DnsName | None = None
    """DNS name of the page, in a zone of `externalDns`."""
    internal: bool = True
    """If true, only the VPC and networks connected to it reach the page; if false, the internet
    does.
    """
    source_ranges: tuple[AddressRange, ...] = ()
    """Addresses that may connect. Absent: all private addresses; required for a page on the
    internet.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses a page that is open to all, and load balancer settings without a load
        balancer.
        """
        if self.load_balancer is None:
            settings = {
                "hostname": self.hostname,
                "internal": None if self.internal else "false",
                "sourceRanges": ", ".join(map(str, self.source_ranges)) or None,
            }
            for key, value in settings.items():
                if value is not None:
                    problem = "is about a load balancer: add loadBalancer: nlb (or alb), or drop it"
                    yield Mistake(key, problem, value)
        if not (self.internal or self.source_ranges):
            yield Mistake(
                "sourceRanges",
                "internal is false, and the page has no login: list the addresses that may see it",
            )
        for i, addresses in enumerate(self.source_ranges):
            if addresses.prefixlen < WIDEST:
                yield Mistake(
                    f"sourceRanges[{i}]",
                    "would show the names of all pods and nodes to strangers, since the page has "
                    f"no login: give your own addresses, /{WIDEST} or smaller",
                    str(addresses),
                )

        if self.replicas > 1:
            problem = "is always 1, since a second pod would show the same: drop it"
            yield Mistake("replicas", problem, self.replicas)

    def needs(self) -> Iterator[Need]:
        """The add-ons that make the load balancer and its DNS record."""
        if self.load_balancer:
            why = "makes the load balancer"
            yield Need("loadBalancer", "awsLoadBalancerController", why)
        if self.hostname:
            yield Need("hostname", "externalDns", "writes the DNS record")

    @property
    def scheme(self) -> str:
        """Scheme of the load balancer, as AWS and the annotations spell it."""
        return "internal" if self.internal else "internet-facing"

    @property
    def allowed(self) -> Sequence[str]:
        """The address ranges that may connect."""
        return [str(each) for each in self.source_ranges] or PRIVATE_RANGES
