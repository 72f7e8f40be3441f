"""ExternalDNS: keeps Route 53 records in step with Services and Ingresses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from ... import versions
from ...kubernetes.charts import Chart
from ..addon import (
    AddonAccount,
    ChartArgs,
    Declared,
    ServiceAccountArgs,
    Surroundings,
    install,
    release_options,
)
from .config import ExternalDnsConfig
from .policy import iam_policy

CHART = Chart(
    name=ExternalDnsConfig.CHART_NAME,
    repository="https://kubernetes-sigs.github.io/external-dns",
    version=versions.EXTERNAL_DNS_CHART,
)
IMAGE = "registry.k8s.io/external-dns/external-dns"
SERVICE_ACCOUNT = "external-dns"
ANNOTATION_PREFIX = "external-dns.alpha.kubernetes.io/"
"""The prefix of the annotations that ExternalDNS reads, `hostname` for example."""
SAFE_TO_EVICT = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
"""Annotation for the pod: without it Cluster Autoscaler keeps a node for a pod in kube-system that
has no disruption budget.
"""


@dataclass(frozen=True, kw_only=True)
class ExternalDnsArgs(ChartArgs):
    """The stack file's settings of ExternalDNS, and the VPC that tells apart private zones of one
    name.
    """

    config: ExternalDnsConfig
    """The stack file's settings of ExternalDNS."""
    vpc_id: str | None = None
    """Id of an existing VPC: with `zoneType: private` only zones associated with it are found."""


class ExternalDns(pulumi.ComponentResource):
    """ExternalDNS, with permission to write the configured zones only.

    Resources with its annotations must depend on `release`: a destroy then deletes them while
    ExternalDNS still runs and can delete their records.
    """

    release: k8s.helm.v3.Release
    """The Helm release, on which resources with ExternalDNS's annotations must depend."""

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


def declare(
    config: ExternalDnsConfig, around: Surroundings, opts: pulumi.ResourceOptions
) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = ExternalDns(
        "external-dns",
        ExternalDnsArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
            vpc_id=around.known_vpc_id,
        ),
        opts=opts,
    )
    return Declared(component=addon)


def find_zones(args: ExternalDnsArgs, opts: pulumi.InvokeOptions) -> list[str]:
    """Ids of the configured zones, in their order.

    Raises RunError that lists every zone that does not exist exactly once.
    """
    zone_type = args.config.zone_type
    private = zone_type == "private"
    zone_ids: list[str] = []
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
            zone_ids.append(answer.zone_id)
    if problems:
        raise pulumi.RunError("\n".join(problems))
    return zone_ids


def helm_values(args: ExternalDnsArgs, *, zone_ids: Sequence[str]) -> dict[str, Any]:
    """Values of the chart, including every default whose change would delete records."""
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
