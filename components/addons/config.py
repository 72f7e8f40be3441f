"""The registry of add-ons: which of them a stack file asks for, and what they need of each other.

The folder of an add-on, `metrics_server` for the key `metricsServer`, has its `config`, `component`
and `example`. An add-on's key stands below the keys of those that it needs.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic.alias_generators import to_camel

from ..section import Mistake, Section
from .addon_config import AddonConfig
from .aws_load_balancer_controller.config import AwsLoadBalancerControllerConfig
from .cluster_autoscaler.config import ClusterAutoscalerConfig
from .ebs_csi.config import EbsCsiConfig
from .efs_csi.config import EfsCsiConfig
from .external_dns.config import ExternalDnsConfig, hostname_problem
from .kube_ops_view.config import KubeOpsViewConfig
from .metrics_server.config import MetricsServerConfig
from .node_monitoring_agent.config import NodeMonitoringAgentConfig
from .node_termination_handler.config import NodeTerminationHandlerConfig


class AddonsConfig(Section):
    """One key an add-on. Absent means off; `{}` is on with every default."""

    aws_load_balancer_controller: AwsLoadBalancerControllerConfig | None = None
    """Load balancers for Services and Ingresses."""
    external_dns: ExternalDnsConfig | None = None
    """Route 53 records for Services and Ingresses."""
    efs_csi: EfsCsiConfig | None = None
    """Volumes that many pods share."""
    ebs_csi: EbsCsiConfig | None = None
    """Volumes of one pod, on nodes."""
    metrics_server: MetricsServerConfig | None = None
    """What `kubectl top` and the HorizontalPodAutoscaler read."""
    kube_ops_view: KubeOpsViewConfig | None = None
    """A page that shows nodes and pods."""
    node_monitoring_agent: NodeMonitoringAgentConfig | None = None
    """Conditions of nodes that kubelet does not see, for `nodeRepair`."""
    node_termination_handler: NodeTerminationHandlerConfig | None = None
    """Drains nodes of `spotNodeGroups` before AWS takes them away."""

    @property
    def on(self) -> Mapping[str, AddonConfig]:
        """The add-ons that are on, by their keys in the file."""
        sections = {to_camel(name): getattr(self, name) for name in type(self).model_fields}
        return {key: section for key, section in sections.items() if section is not None}

    def mistakes(self) -> Iterator[Mistake]:
        """Each finds the others that it needs, and its name a zone."""
        for key, addon in self.on.items():
            for need in addon.needs():
                if need.addon not in self.on:
                    path = ".".join(filter(None, (key, need.path)))
                    problem = f"{need.addon} {need.why}: add it to addons, or drop this key"
                    yield Mistake(path, problem)
        page, dns = self.kube_ops_view, self.external_dns
        if page and dns and page.hostname:
            problem = hostname_problem(page.hostname, dns.zones, dns.exclude_domains)
            if problem:
                yield Mistake("kubeOpsView.hostname", problem, page.hostname)


def sections() -> Iterator[tuple[str, type[AddonConfig]]]:
    """Each add-on's folder with the class of its section; with two classes where it has modes."""
    for folder, field in AddonsConfig.model_fields.items():
        for section in _section_classes(field.annotation):
            yield folder, section
    # Its section stands on the stack file's top level, since it is about nodes too.
    yield "cluster_autoscaler", ClusterAutoscalerConfig


def _section_classes(annotation: Any) -> Iterator[type[AddonConfig]]:
    if isinstance(annotation, type) and issubclass(annotation, AddonConfig):
        yield annotation
    for part in get_args(annotation):
        yield from _section_classes(part)
