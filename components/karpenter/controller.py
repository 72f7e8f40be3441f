"""Karpenter's controller: its charts, its IAM role, and the role of the nodes it launches."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from ..cluster_ref import ClusterRef
from ..iam.pod_role import PodRole, PodRoleArgs
from ..iam.service_role import ServiceRole, ServiceRoleArgs
from ..kubernetes.admission import PROFILE_LABEL, Pods
from ..kubernetes.chart_release import chart_release
from ..kubernetes.charts import Chart, Installation
from ..kubernetes.kubernetes_object import KubernetesObject
from ..names import POLICY_NAME_LIMIT, ROLE_NAME_LIMIT, fitted
from ..nodes.interruption import InterruptionQueue
from ..nodes.nodes import node_policies
from ..placement import Placement
from .config import POD_LABELS, ControllerConfig
from .iam import controller_policies, policy_name
from .node_classes import ExtraRights

CHART = "karpenter"
CRD_CHART = "karpenter-crd"
REPOSITORY = "oci://public.ecr.aws/karpenter"
IMAGE = "public.ecr.aws/karpenter/controller"
SERVICE_ACCOUNT = "karpenter"


@dataclass(frozen=True, kw_only=True)
class ControllerArgs:
    """The stack file's settings of the controller, and what it needs before it starts."""

    config: ControllerConfig
    """The stack file's settings of the controller."""
    version: str
    """Version of both charts."""
    namespace: str
    """Namespace of the controller's pods."""
    cluster: ClusterRef
    """The cluster that Karpenter launches nodes for."""
    placement: Placement
    """Place of the controller's pods, with the resources that they need until the last node is
    gone: their compute, and the routes to AWS. The chart puts each pod on a node, or a Fargate pod,
    of its own.
    """
    queue: InterruptionQueue
    """The queue from which the controller reads notices of interruptions."""
    extra_rights: ExtraRights = field(default_factory=ExtraRights)
    """Permissions that the node classes need beyond upstream's policies."""
    static_capacity: bool = False
    """True if a pool has `replicas`."""
    capacity_buffers: bool = False
    """True if the stack has CapacityBuffers."""

    @property
    def replicas(self) -> int:
        """Number of controller pods: the stack file's, else two, or one if only one finds a
        place.
        """
        return self.config.replicas or min(2, self.placement.nodes)


class Controller(pulumi.ComponentResource):
    """Karpenter's controller with its CRDs, IAM role and node role; ready when its pods are."""

    node_role_name: pulumi.Output[str]
    """Name of the nodes' role; resolves once the role may join the cluster."""
    release: k8s.helm.v3.Release
    """The Helm release of the controller, on which pools and classes depend."""

    def __init__(
        self, name: str, args: ControllerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:karpenter:Controller", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        node_role = ServiceRole(
            f"{name}-node",
            ServiceRoleArgs(
                service=f"ec2.{args.cluster.location.dns_suffix}",
                physical_name=fitted(f"KarpenterNodeRole-{args.cluster.name}", ROLE_NAME_LIMIT),
                managed_policies=node_policies(args.cluster.location),
            ),
            opts=child,
        )
        # EC2_LINUX, not STANDARD: nodes cannot join by the latter (karpenter-provider-aws#7558).
        access = aws.eks.AccessEntry(
            f"{name}-node",
            cluster_name=args.cluster.live_name,
            principal_arn=node_role.role_arn,
            type="EC2_LINUX",
            opts=child,
        )
        joined = pulumi.Output.all(node_role.role_name, access.id)
        self.node_role_name = joined.apply(lambda known: known[0])

        role = PodRole(
            f"{name}-role",
            PodRoleArgs(
                cluster=args.cluster,
                runs_on=args.placement.runs_on,
                namespace=args.namespace,
                service_account=SERVICE_ACCOUNT,
                account_comes_later=True,
                physical_name=fitted(f"{args.cluster.name}-karpenter", ROLE_NAME_LIMIT),
                managed_policies=self._policies(name, args, node_role.role),
            ),
            opts=child,
        )
        namespace, flows = self._namespace(name, args)
        in_namespace = pulumi.ResourceOptions(
            parent=self, provider=args.cluster.provider, depends_on=namespace
        )
        # A release of its own: Helm never upgrades the CRDs that lie inside a chart.
        crds = self._release(CRD_CHART, args, {}, in_namespace)
        self.release = self._release(
            CHART,
            args,
            helm_values(args, annotations=role.annotations, queue_name=args.queue.queue_name),
            # The controller exits at once if a permission is missing: all of them come first.
            pulumi.ResourceOptions(
                parent=self,
                provider=args.cluster.provider,
                depends_on=[crds, role, args.queue, access, *flows, *args.placement.needs],
                hooks=args.cluster.admission.hooks(pods_of(args)),
            ),
        )
        self.register_outputs({"nodeRoleName": self.node_role_name})

    def _policies(
        self, name: str, args: ControllerArgs, node_role: aws.iam.Role
    ) -> dict[str, pulumi.Input[str]]:
        location, cluster = args.cluster.location, args.cluster.name
        inputs = pulumi.Output.all(node_role_arn=node_role.arn, queue_arn=args.queue.queue_arn)
        documents = inputs.apply(
            lambda known: controller_policies(
                location=location, cluster=cluster, extra=args.extra_rights, **known
            )
        )
        nouns = controller_policies(
            location=location, cluster=cluster, node_role_arn="", queue_arn=""
        )
        return {
            noun: aws.iam.Policy(
                f"{name}-{noun}",
                name=fitted(policy_name(noun, args.cluster.name), POLICY_NAME_LIMIT),
                policy=pulumi.Output.json_dumps(documents[noun]),
                opts=pulumi.ResourceOptions(parent=self),
            ).arn
            for noun in nouns
        }

    def _namespace(
        self, name: str, args: ControllerArgs
    ) -> tuple[list[pulumi.Resource], list[pulumi.Resource]]:
        """The controller's namespace, and the API priority that pods in kube-system have by
        default.
        """
        if args.namespace == "kube-system":
            return [], []
        in_cluster = pulumi.ResourceOptions(parent=self, provider=args.cluster.provider)
        namespace = KubernetesObject(
            name,
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": args.namespace}},
            opts=in_cluster,
        )
        flows: list[pulumi.Resource] = [
            KubernetesObject(
                f"{name}-{noun}",
                {
                    "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
                    "kind": "FlowSchema",
                    "metadata": {"name": f"karpenter-{noun}"},
                    "spec": flow_schema(args.namespace, noun),
                },
                opts=in_cluster,
            )
            for noun in ("leader-election", "workload")
        ]
        return [namespace], flows

    def _release(
        self,
        chart: str,
        args: ControllerArgs,
        values: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
    ) -> k8s.helm.v3.Release:
        source = Chart(name=chart, repository=REPOSITORY, version=args.version)
        into = Installation(namespace=args.namespace, values=values, skip_crds=True)
        return chart_release(chart, source, into, args.cluster.charts, opts)


def pods_of(args: ControllerArgs) -> Pods:
    """The controller's pods, as EKS's admission webhooks see them."""
    return Pods(
        namespace=args.namespace,
        labels=POD_LABELS,
        profile=args.placement.profile,
        service_account=SERVICE_ACCOUNT if args.placement.on_nodes else None,
    )


def helm_values(
    args: ControllerArgs,
    *,
    annotations: Mapping[str, pulumi.Input[str]],
    queue_name: pulumi.Input[str],
) -> dict[str, Any]:
    """Values of the controller's chart; absent ones keep the chart's default."""
    profile = args.placement.profile
    resources = {"cpu": args.config.cpu, "memory": args.config.memory}
    controller: dict[str, Any] = {
        # The controller takes the node's memory for its own where it has no limits.
        "resources": {"requests": resources, "limits": resources},
        # Fargate has no metadata service, and a hop limit of 1 keeps pods from it.
        "env": [{"name": "AWS_REGION", "value": args.cluster.location.region}],
    }
    if args.cluster.charts.images:
        controller["image"] = {"repository": args.cluster.charts.image(IMAGE)}
    return {
        "settings": {
            "clusterName": args.cluster.live_name,
            # The queue's name. Helm ignores an unknown key: interruption would silently be off.
            "interruptionQueue": queue_name,
            "isolatedVPC": args.cluster.isolated,
            # Kubernetes' version and the service CIDR from EKS rather than from what the API says.
            "eksControlPlane": True,
            # All of them: a gate that is missing prints as nil, and the flag's parser fails.
            "featureGates": {
                "reservedCapacity": True,
                "spotToSpotConsolidation": args.config.spot_to_spot_consolidation,
                "nodeRepair": args.config.node_repair,
                "nodeOverlay": False,
                # Without its gate a pool with `replicas` does nothing at all, and a buffer neither.
                "staticCapacity": args.static_capacity,
                "capacityBuffer": args.capacity_buffers,
            },
        },
        "serviceAccount": {"create": True, "name": SERVICE_ACCOUNT, "annotations": annotations},
        "replicas": args.replicas,
        # A new profile changes this label, so new pods come before the old profile goes.
        "podLabels": {PROFILE_LABEL: profile} if profile else {},
        # CoreDNS starts later, and may one day run on nodes that Karpenter has to launch first.
        "dnsPolicy": "Default",
        "controller": controller,
    }


def flow_schema(namespace: str, noun: str) -> dict[str, Any]:
    """Upstream's two FlowSchemas: leases at the level of leader election, all else above
    workloads.
    """
    lease_rule: dict[str, Any] = {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": ["get", "create", "update"],
        "namespaces": [namespace],
    }
    any_rule: dict[str, Any] = {
        "apiGroups": ["*"],
        "resources": ["*"],
        "verbs": ["*"],
        "namespaces": ["*"],
        "clusterScope": True,
    }
    level, precedence, rule = {
        "leader-election": ("leader-election", 200, lease_rule),
        "workload": ("workload-high", 1000, any_rule),
    }[noun]
    account = {"name": SERVICE_ACCOUNT, "namespace": namespace}
    return {
        "distinguisherMethod": {"type": "ByUser"},
        "matchingPrecedence": precedence,
        "priorityLevelConfiguration": {"name": level},
        "rules": [
            {
                "resourceRules": [rule],
                "subjects": [{"kind": "ServiceAccount", "serviceAccount": account}],
            }
        ],
    }
