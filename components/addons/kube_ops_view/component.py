"""kube-ops-view: a page that shows all nodes and pods, and who may see it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pulumi
from pydantic import Field

from ... import versions
from ...addresses import AddressRange
from ...kubernetes.charts import Chart
from ...kubernetes.kubernetes_object import KubernetesObject, KubernetesPatch
from ...section import Mistake
from ..addon import NAMESPACE, ChartArgs, Need, PodsConfig, install, release_options
from ..aws_load_balancer_controller import INGRESS_CLASS, LOAD_BALANCER_CLASS
from ..external_dns import ANNOTATION_PREFIX, SAFE_TO_EVICT, DnsName

CHART = "kube-ops-view"
REPOSITORY = "https://geek-cookbook.github.io/charts"
IMAGE = "docker.io/hjacobs/kube-ops-view"
PORT = 8080
"""The port of the chart's Service, its pods, and our NLB."""

NLB = "service.beta.kubernetes.io/aws-load-balancer-"
ALB = "alb.ingress.kubernetes.io/"
PRIVATE_RANGES = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
"""RFC 1918 and RFC 6598: what a VPC and the networks behind it can have."""
WIDEST = 8
"""The prefix length of 10.0.0.0/8: a wider range is no longer anybody's own network."""


class KubeOpsViewConfig(PodsConfig):
    """Which chart, and how the page is reached. It has no login: who reaches it sees the name of
    every pod and node."""

    CHART_NAME: ClassVar[str] = CHART
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "kube-ops-view",
        "app.kubernetes.io/instance": "kube-ops-view",
    }

    chart_version: str = Field(default=versions.KUBE_OPS_VIEW_CHART, pattern=r"^\d+\.\d+\.\d+$")
    """The version of the chart; its next one changes nothing here."""
    time_zone: str = Field(default="UTC", pattern=r"^[A-Za-z]\w*([/+-]\w+)*$")
    """The time zone of the times on the page, for example `Asia/Seoul`."""
    load_balancer: Literal["nlb", "alb"] | None = None
    """`nlb` serves the page at port 8080, by a Service; `alb` at port 80, by an Ingress. Absent:
    only `kubectl port-forward --namespace kube-system service/kube-ops-view 8080` leads to it."""
    hostname: DnsName | None = None
    """The page's name, in a zone of `externalDns`."""
    internal: bool = True
    """Only from the VPC and networks connected to it; false: from the internet."""
    source_ranges: tuple[AddressRange, ...] = ()
    """Who may connect. Absent: all private addresses; an internet-facing page must name them."""

    def mistakes(self) -> Iterator[Mistake]:
        """A page that is open to all, and settings of a load balancer that is not asked for."""
        if self.load_balancer is None:
            given = {
                "hostname": self.hostname,
                "internal": None if self.internal else "false",
                "sourceRanges": ", ".join(map(str, self.source_ranges)) or None,
            }
            for key, value in given.items():
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
        """Who makes the load balancer and its DNS record."""
        if self.load_balancer:
            why = "makes the load balancer"
            yield Need("loadBalancer", "awsLoadBalancerController", why)
        if self.hostname:
            yield Need("hostname", "externalDns", "writes the DNS record")

    @property
    def scheme(self) -> str:
        """The word of AWS and of the annotations."""
        return "internal" if self.internal else "internet-facing"

    @property
    def allowed(self) -> Sequence[str]:
        """The address ranges that may connect."""
        return [str(each) for each in self.source_ranges] or PRIVATE_RANGES


@dataclass(frozen=True, kw_only=True)
class KubeOpsViewArgs(ChartArgs):
    """The stack file's part, and who makes its load balancer and its DNS record."""

    config: KubeOpsViewConfig
    """The stack file's part."""
    load_balancers: Sequence[pulumi.Resource] = ()
    """The controllers that act on its Service or Ingress, and must outlive it."""


class KubeOpsView(pulumi.ComponentResource):
    """The page, and its load balancer if one is asked for."""

    url: pulumi.Output[str] | None
    """The page's address, known once its name is published; None where it has no hostname: the
    load balancer's own name is in the status of the Service or Ingress."""

    def __init__(
        self, name: str, args: KubeOpsViewArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:KubeOpsView", name, None, opts)
        config = args.config
        release = install(
            name,
            Chart(name=CHART, repository=REPOSITORY, version=config.chart_version),
            args,
            helm_values(args),
            release_options(self, args),
        )
        self.url = None
        if config.load_balancer:
            entrance = KubernetesObject(
                f"{name}-{config.scheme}",
                service(config) if config.load_balancer == "nlb" else ingress(config),
                opts=pulumi.ResourceOptions(
                    parent=self,
                    provider=args.cluster.provider,
                    depends_on=[release, *args.load_balancers],
                ),
            )
            if config.hostname:
                self.url = self._published(name, args, entrance)
        self.register_outputs({"url": self.url})

    def _published(
        self, name: str, args: KubeOpsViewArgs, entrance: pulumi.Resource
    ) -> pulumi.Output[str]:
        # A resource of its own goes first in a destroy: ExternalDNS takes 5 s to act, and has time
        # to delete the record while the Service waits half a minute for its load balancer to go.
        record = KubernetesPatch(
            f"{name}-{args.config.scheme}-hostname",
            hostname_annotation(args.config),
            opts=pulumi.ResourceOptions(
                parent=self, provider=args.cluster.provider, depends_on=[entrance]
            ),
        )
        address = page(args.config)
        return record.id.apply(lambda _: address)


def page(config: KubeOpsViewConfig) -> str:
    """The page's address; the fragment makes it a little larger."""
    port = f":{PORT}" if config.load_balancer == "nlb" else ""
    return f"http://{config.hostname}{port}/#scale=1.5"


def helm_values(args: KubeOpsViewArgs) -> dict[str, Any]:
    """The chart's values; what is not here is the chart's default, and right."""
    config = args.config
    values: dict[str, Any] = {
        # The chart's own tag is of 2020.
        "image": {"tag": versions.KUBE_OPS_VIEW_IMAGE},
        "env": {"TZ": config.time_zone},
        # The default, written out: the chart drops a load balancer's class, and AWS would make a
        # Classic Load Balancer, which cannot reach Fargate. Our own Service has the class.
        "service": {"main": {"type": "ClusterIP"}},
        # The chart asks for nothing: scheduler and Karpenter would count the pod as nothing.
        "resources": config.resources(args.placement.runs_on),
        "podAnnotations": SAFE_TO_EVICT,
    }
    if args.placement.on_nodes:
        values["nodeSelector"] = dict(config.node_selector)
    if args.cluster.charts.images:
        values["image"]["repository"] = args.cluster.charts.image(IMAGE)
    return values


def service(config: KubeOpsViewConfig) -> dict[str, Any]:
    """A Service that the Load Balancer Controller turns into an NLB."""
    annotations = {
        # Pods have addresses of the VPC, and on Fargate there is no instance to send traffic to.
        f"{NLB}nlb-target-type": "ip",
        f"{NLB}scheme": config.scheme,
        # HTTP, since a pod that only accepts connections may still show nothing.
        f"{NLB}healthcheck-port": str(PORT),
        f"{NLB}healthcheck-protocol": "HTTP",
        f"{NLB}healthcheck-path": "/health",
        # There is one pod, in one zone: without it, the addresses in all others would be dead.
        # `…-cross-zone-load-balancing-enabled` is deprecated since controller 2.3.
        f"{NLB}attributes": "load_balancing.cross_zone.enabled=true",
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {**_where(config), "annotations": annotations},
        "spec": {
            "type": "LoadBalancer",
            "loadBalancerClass": LOAD_BALANCER_CLASS,
            "loadBalancerSourceRanges": list(config.allowed),
            "selector": dict(config.POD_LABELS),
            "ports": [{"name": "http", "port": PORT, "targetPort": PORT, "protocol": "TCP"}],
        },
    }


def ingress(config: KubeOpsViewConfig) -> dict[str, Any]:
    """An Ingress that the Load Balancer Controller turns into an ALB."""
    annotations = {
        f"{ALB}target-type": "ip",
        f"{ALB}scheme": config.scheme,
        f"{ALB}healthcheck-path": "/health",
        f"{ALB}inbound-cidrs": ",".join(config.allowed),
    }
    backend = {"service": {"name": CHART, "port": {"number": PORT}}}
    # No host: the name is given by the annotation, which can go before the Ingress does.
    rule = {"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {**_where(config), "annotations": annotations},
        "spec": {"ingressClassName": INGRESS_CLASS, "rules": [rule]},
    }


def hostname_annotation(config: KubeOpsViewConfig) -> dict[str, Any]:
    """The patch by which ExternalDNS learns the name of the Service or Ingress."""
    entrance = service(config) if config.load_balancer == "nlb" else ingress(config)
    annotations = {
        f"{ANNOTATION_PREFIX}hostname": config.hostname,
        # The provider waits for a load balancer that is there, and keeps the object as its cache
        # has it, at times from before the patch: the next preview would patch it once more.
        "pulumi.com/skipAwait": "true",
    }
    return {
        "apiVersion": entrance["apiVersion"],
        "kind": entrance["kind"],
        "metadata": {**_where(config), "annotations": annotations},
    }


def _where(config: KubeOpsViewConfig) -> dict[str, str]:
    """Each scheme has its name: the controller leaks the load balancer of a Service that changes
    from one to the other, so that it must be another Service."""
    return {"name": f"{CHART}-{config.scheme}", "namespace": NAMESPACE}
