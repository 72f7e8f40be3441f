"""ExternalDNS: keeps Route 53 records in step with Services and Ingresses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s
from pydantic import Field

from ... import versions
from ...kubernetes.charts import Chart
from ...section import Mistake
from ..addon import (
    AddonAccount,
    ChartArgs,
    PodsConfig,
    ServiceAccountArgs,
    install,
    release_options,
)

CHART = Chart(
    name="external-dns",
    repository="https://kubernetes-sigs.github.io/external-dns",
    version=versions.EXTERNAL_DNS_CHART,
)
IMAGE = "registry.k8s.io/external-dns/external-dns"
SERVICE_ACCOUNT = "external-dns"
ANNOTATION_PREFIX = "external-dns.alpha.kubernetes.io/"
"""The prefix of the annotations that ExternalDNS reads, `hostname` for example."""
SAFE_TO_EVICT = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
"""Else Cluster Autoscaler keeps a node for a pod of kube-system without a disruption budget."""

DnsName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$", max_length=253, examples=["example.com"]),
]


class ExternalDnsConfig(PodsConfig):
    """Which names it writes, and how boldly."""

    CHART_NAME: ClassVar[str] = CHART.name
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "external-dns",
        "app.kubernetes.io/instance": "external-dns",
    }
    NO_ENDPOINT: ClassVar[str | None] = "Route 53"

    zones: tuple[DnsName, ...] = Field(min_length=1)
    """Hosted zones of this account by name; each must exist."""
    zone_type: Literal["public", "private"] = "public"
    """Where a name has both a public and a private zone, only this one is written."""
    exclude_domains: tuple[DnsName, ...] = ()
    """Parts of the zones that are left alone."""
    policy: Literal["upsert-only", "sync"] = "upsert-only"
    """`sync` also deletes the records of a Service or Ingress that is gone."""

    def mistakes(self) -> Iterator[Mistake]:
        """Exclusions that exclude nothing, and pods that would fight."""
        for i, name in enumerate(self.exclude_domains):
            if not any(lies_in(name, zone) for zone in self.zones):
                yield Mistake(
                    f"excludeDomains[{i}]", "lies in none of zones: correct it or drop it", name
                )
        if self.replicas > 1:
            problem = "is always 1, since two pods would write the same records at once: drop it"
            yield Mistake("replicas", problem, self.replicas)


@dataclass(frozen=True, kw_only=True)
class ExternalDnsArgs(ChartArgs):
    """The stack file's part, and what tells two private zones of one name apart."""

    config: ExternalDnsConfig
    """The stack file's part."""
    vpc_id: str | None = None
    """The id of an existing VPC: with `zoneType: private` only zones that it resolves are found."""


class ExternalDns(pulumi.ComponentResource):
    """The controller, with the right to write the configured zones and no other.

    What carries its annotations must depend on `release`: in a destroy it goes first, while there
    is somebody to take its records away.
    """

    release: k8s.helm.v3.Release
    """What carries its annotations depends on it."""

    def __init__(
        self, name: str, args: ExternalDnsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:ExternalDns", name, None, opts)
        zone_ids = find_zones(args, pulumi.InvokeOptions(parent=self))
        account = AddonAccount(
            name,
            ServiceAccountArgs(
                addon=args,
                service_account=SERVICE_ACCOUNT,
                policy=iam_policy(partition=args.cluster.location.partition, zone_ids=zone_ids),
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.release = install(
            name,
            CHART,
            args,
            helm_values(args, zone_ids=zone_ids),
            release_options(self, args, account),
        )
        self.register_outputs({})


def find_zones(args: ExternalDnsArgs, opts: pulumi.InvokeOptions) -> list[str]:
    """The ids of the configured zones, in their order.

    Raises RunError with every zone that there is not exactly once.
    """
    zone_type = args.config.zone_type
    private = zone_type == "private"
    found: list[str] = []
    problems: list[str] = []
    for i, zone in enumerate(args.config.zones):
        try:
            answer = aws.route53.get_zone(
                name=zone,
                private_zone=private,
                vpc_id=args.vpc_id if private else None,
                opts=opts,
            )
        except Exception as error:
            # Pulumi raises nothing more precise. The texts are those of the AWS provider.
            at = f"addons.externalDns.zones[{i}]:"
            account = args.cluster.location.account
            if "no matching" in str(error):
                problems.append(
                    f"{at} there is no {zone_type} hosted zone {zone} in account {account}: "
                    "make it, or correct the name"
                )
            elif "multiple" in str(error):
                problems.append(
                    f"{at} account {account} has more than one {zone_type} hosted zone {zone}: "
                    "delete all but one, or name a part of it that has a zone of its own"
                )
            else:
                raise
        else:
            found.append(answer.zone_id)
    if problems:
        raise pulumi.RunError("\n".join(problems))
    return found


def iam_policy(*, partition: str, zone_ids: Sequence[str]) -> dict[str, Any]:
    """Upstream's policy without `ListTagsForResources`, which only `--aws-zone-tags` needs."""
    write = {
        "Effect": "Allow",
        "Action": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets"],
        "Resource": [f"arn:{partition}:route53:::hostedzone/{zone_id}" for zone_id in zone_ids],
    }
    # Route 53 cannot narrow this action to a zone.
    find = {"Effect": "Allow", "Action": "route53:ListHostedZones", "Resource": "*"}
    return {"Version": "2012-10-17", "Statement": [write, find]}


def helm_values(args: ExternalDnsArgs, *, zone_ids: Sequence[str]) -> dict[str, Any]:
    """The chart's values, with every default written out whose change would cost records."""
    config = args.config
    values: dict[str, Any] = {
        # Its rights must be there before its pod: the program makes the account.
        "serviceAccount": {"create": False, "name": SERVICE_ACCOUNT},
        "provider": {"name": "aws"},
        "sources": ["service", "ingress"],
        "policy": config.policy,
        "registry": "txt",
        # Marks our records: under `sync`, clusters with one owner delete each other's.
        "txtOwnerId": args.cluster.live_name,
        # From 0.22 on the default is another, and `sync` would delete all (external-dns#6424).
        "annotationPrefix": ANNOTATION_PREFIX,
        # One zone more that the role may not read stops the sync of all (external-dns#230), ...
        "domainFilters": list(config.zones),
        "excludeDomains": list(config.exclude_domains),
        # ... a namesake of the other type as well.
        "extraArgs": {"aws-zone-type": config.zone_type, "zone-id-filter": list(zone_ids)},
        # Route 53 takes 5 requests a second from a whole account; events bring changes at once.
        "interval": "5m",
        "triggerLoopOnEvent": True,
        # No leader election: never two pods.
        "deploymentStrategy": {"type": "Recreate"},
        # The VPC's own: a destroy then needs no CoreDNS while the last record goes.
        "dnsPolicy": "Default",
        # The chart asks for nothing: scheduler and Karpenter would count the pod as nothing.
        "resources": config.resources(args.placement.runs_on),
        "podAnnotations": SAFE_TO_EVICT,
    }
    if args.placement.on_nodes:
        values["nodeSelector"] = dict(config.node_selector)
    if args.cluster.charts.images:
        values["image"] = {"repository": args.cluster.charts.image(IMAGE)}
    return values


def hostname_problem(
    hostname: str, zones: Sequence[str], excluded: Sequence[str] = ()
) -> str | None:
    """Why ExternalDNS would write no record for the name, and what to do; None: it will."""
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
    """Whether a name is the domain or one below it."""
    return f".{name}".endswith(f".{domain}")
