"""kube-ops-view: a web page that shows all nodes and pods."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from ... import versions
from ...kubernetes.charts import Chart
from ...kubernetes.kubernetes_object import KubernetesObject, KubernetesPatch
from ..addon import ChartArgs, Declared, Surroundings, install, release_options
from ..addon_config import NAMESPACE
from ..aws_load_balancer_controller.component import INGRESS_CLASS, LOAD_BALANCER_CLASS
from ..external_dns.component import ANNOTATION_PREFIX, SAFE_TO_EVICT
from .config import KubeOpsViewConfig

CHART = KubeOpsViewConfig.CHART_NAME
REPOSITORY = "https://geek-cookbook.github.io/charts"
IMAGE = "docker.io/hjacobs/kube-ops-view"
PORT = 8080
"""Port of the chart's Service, of its pods, and of the stack's NLB."""
OWNERS = ("awsLoadBalancerController", "externalDns")
"""The add-ons that act on the page's Service or Ingress, by their keys in the stack file."""
NLB = "service.beta.kubernetes.io/aws-load-balancer-"
ALB = "alb.ingress.kubernetes.io/"


@dataclass(frozen=True, kw_only=True)
class KubeOpsViewArgs(ChartArgs):
    """The stack file's settings of kube-ops-view, and the add-ons for its load balancer and DNS
    record.
    """

    config: KubeOpsViewConfig
    """The stack file's settings of kube-ops-view."""
    load_balancers: Sequence[pulumi.Resource] = ()
    """Controllers that act on the page's Service or Ingress, and must outlive it."""


class KubeOpsView(pulumi.ComponentResource):
    """kube-ops-view, with a load balancer if one is asked for."""

    url: pulumi.Output[str] | None
    """Address of the page; resolves once its name is published. None without a hostname: the load
    balancer's own name is then in the status of the Service or Ingress.
    """

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


def declare(
    config: KubeOpsViewConfig, around: Surroundings, opts: pulumi.ResourceOptions
) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    # What owns load balancers and records must outlive every Service and Ingress.
    owners = [around.before[key] for key in OWNERS if key in around.before]
    addon = KubeOpsView(
        "kube-ops-view",
        KubeOpsViewArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
            load_balancers=owners,
        ),
        opts=opts,
    )
    return Declared(component=addon, outputs={"kubeOpsViewUrl": addon.url} if addon.url else {})


def page(config: KubeOpsViewConfig) -> str:
    """Address of the page; the fragment scales the page up."""
    port = f":{PORT}" if config.load_balancer == "nlb" else ""
    return f"http://{config.hostname}{port}/#scale=1.5"


def helm_values(args: KubeOpsViewArgs) -> dict[str, Any]:
    """Values of the chart; absent ones keep the chart's default."""
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
    """Patch that tells ExternalDNS the hostname of the Service or Ingress."""
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
    """Name and namespace of the Service or Ingress. The name contains the scheme: the controller
    leaks the load balancer of a Service whose scheme changes, so a change must make another
    Service.
    """
    return {"name": f"{CHART}-{config.scheme}", "namespace": NAMESPACE}
