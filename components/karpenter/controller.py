"""Karpenter's controller: its charts, its rights, and the role of the nodes it launches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s
from pydantic import Field

from components.charts import Chart, ChartSource, Installation
from components.interruption import InterruptionQueue
from components.karpenter.iam import controller_policies, policy_name
from components.karpenter.node_classes import ExtraRights
from components.karpenter.quantities import Quantity
from components.kubernetes_object import KubernetesObject
from components.location import Location
from components.names import POLICY_NAME_LIMIT, ROLE_NAME_LIMIT, fitted
from components.pod_role import PodRole, PodRoleArgs, RunsOn
from components.section import Section
from components.service_role import ServiceRole, ServiceRoleArgs

CHART = "karpenter"
CRD_CHART = "karpenter-crd"
REPOSITORY = "oci://public.ecr.aws/karpenter"
SERVICE_ACCOUNT = "karpenter"
POD_LABELS = {"app.kubernetes.io/name": "karpenter", "app.kubernetes.io/instance": "karpenter"}
"""What the chart puts on the controller's pods: a Fargate selector must match it."""

NODE_POLICIES = {
    "cni": "AmazonEKS_CNI_Policy",
    "worker": "AmazonEKSWorkerNodePolicy",
    "images": "AmazonEC2ContainerRegistryPullOnly",
    "ssm": "AmazonSSMManagedInstanceCore",
}


class ControllerConfig(Section):
    """The controller's pods. On Fargate each is billed as 1 vCPU and 2 GB, 0.05 USD an hour."""

    replicas: int | None = Field(default=None, ge=1, le=3)
    """Absent: 2, or 1 where there is only one node to run on."""
    cpu: Quantity = "1"
    """Of each pod: what it asks for and may take."""
    memory: Quantity = "1Gi"
    """The same."""
    spot_to_spot_consolidation: bool = False
    """Swap spot nodes for cheaper spot too; it wants 15 instance types to choose from."""
    node_repair: bool = False
    """Replace nodes that stay unhealthy, whatever runs on them. Alpha in Karpenter 1.14; it needs
    the EKS node monitoring agent for more than a kubelet that is silent."""


@dataclass(frozen=True, kw_only=True)
class ControllerArgs:
    """The stack file's part, and what the controller needs before it starts."""

    config: ControllerConfig
    """The stack file's part."""
    version: str
    """Of both charts."""
    namespace: str
    """Where its pods run."""
    cluster: str
    """The cluster's name, known in advance: rights and roles name it."""
    cluster_name: pulumi.Input[str]
    """The same as an output, so that the controller waits for the control plane."""
    oidc_provider_arn: pulumi.Input[str]
    """The cluster's OIDC provider in IAM, which IRSA trusts."""
    location: Location
    """Where the stack is deployed."""
    runs_on: RunsOn
    """Where its pods run, which decides how they get their rights."""
    replicas: int
    """How many pods; the chart gives each a node, or a Fargate pod, of its own."""
    queue: InterruptionQueue
    """By which it hears of interruptions."""
    isolated: bool
    """Whether there is no way to the internet, so neither IAM nor the price list."""
    extra_rights: ExtraRights = field(default_factory=ExtraRights)
    """What the node classes need beyond upstream's policies."""
    static_capacity: bool = False
    """Whether a pool has `replicas`."""
    capacity_buffers: bool = False
    """Whether there are CapacityBuffers."""
    charts: ChartSource
    """Where charts and images come from."""
    needs: Sequence[pulumi.Resource]
    """Its own compute, and the routes by which it reaches AWS until the last node is gone."""
    kubernetes: pulumi.ProviderResource | None = None
    """The provider of the cluster; absent: by opts. A component that gets it by opts waits for it,
    and with it roles and rights inside, which could be made beside the control plane."""


class Controller(pulumi.ComponentResource):
    """Ready when the controller's pods are."""

    node_role_name: pulumi.Output[str]
    """The role of the nodes, known once it may join the cluster."""
    release: k8s.helm.v3.Release
    """Pools and classes depend on it."""

    def __init__(
        self, name: str, args: ControllerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:karpenter:Controller", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        node_role = ServiceRole(
            f"{name}-node",
            ServiceRoleArgs(
                service=f"ec2.{args.location.dns_suffix}",
                physical_name=fitted(f"KarpenterNodeRole-{args.cluster}", ROLE_NAME_LIMIT),
                managed_policies={
                    noun: args.location.managed_policy(policy)
                    for noun, policy in NODE_POLICIES.items()
                },
            ),
            opts=child,
        )
        # EC2_LINUX, not STANDARD: nodes cannot join by the latter (karpenter-provider-aws#7558).
        access = aws.eks.AccessEntry(
            f"{name}-node",
            cluster_name=args.cluster_name,
            principal_arn=node_role.role_arn,
            type="EC2_LINUX",
            opts=child,
        )
        joined = pulumi.Output.all(node_role.role_name, access.id)
        self.node_role_name = joined.apply(lambda known: known[0])

        role = PodRole(
            f"{name}-role",
            PodRoleArgs(
                runs_on=args.runs_on,
                cluster_name=args.cluster_name,
                oidc_provider_arn=args.oidc_provider_arn,
                namespace=args.namespace,
                service_account=SERVICE_ACCOUNT,
                physical_name=fitted(f"{args.cluster}-karpenter", ROLE_NAME_LIMIT),
                managed_policies=self._policies(name, args, node_role.role),
            ),
            opts=child,
        )
        namespace, flows = self._namespace(name, args)
        in_namespace = pulumi.ResourceOptions(
            parent=self, provider=args.kubernetes, depends_on=namespace
        )
        # A release of its own: Helm never upgrades the CRDs that lie inside a chart.
        crds = self._release(CRD_CHART, args, {}, in_namespace)
        self.release = self._release(
            CHART,
            args,
            helm_values(args, annotations=role.annotations, queue_name=args.queue.queue_name),
            # It leaves at once where one of its rights is missing: all come first.
            pulumi.ResourceOptions(
                parent=self,
                provider=args.kubernetes,
                depends_on=[crds, role, args.queue, access, *flows, *args.needs],
            ),
        )
        self.register_outputs({"nodeRoleName": self.node_role_name})

    def _policies(
        self, name: str, args: ControllerArgs, node_role: aws.iam.Role
    ) -> dict[str, pulumi.Input[str]]:
        inputs = pulumi.Output.all(node_role_arn=node_role.arn, queue_arn=args.queue.queue_arn)
        documents = inputs.apply(
            lambda known: controller_policies(
                location=args.location, cluster=args.cluster, extra=args.extra_rights, **known
            )
        )
        nouns = controller_policies(
            location=args.location, cluster=args.cluster, node_role_arn="", queue_arn=""
        )
        return {
            noun: aws.iam.Policy(
                f"{name}-{noun}",
                name=fitted(policy_name(noun, args.cluster), POLICY_NAME_LIMIT),
                policy=pulumi.Output.json_dumps(documents[noun]),
                opts=pulumi.ResourceOptions(parent=self),
            ).arn
            for noun in nouns
        }

    def _namespace(
        self, name: str, args: ControllerArgs
    ) -> tuple[list[pulumi.Resource], list[pulumi.Resource]]:
        """The namespace, and the priority that the API server gives to pods of kube-system."""
        if args.namespace == "kube-system":
            return [], []
        in_cluster = pulumi.ResourceOptions(parent=self, provider=args.kubernetes)
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
        return args.charts.release(chart, source, into, opts)


def helm_values(
    args: ControllerArgs,
    *,
    annotations: Mapping[str, pulumi.Input[str]],
    queue_name: pulumi.Input[str],
) -> dict[str, Any]:
    """The chart's values; what is not here is the chart's default, and right."""
    resources = {"cpu": args.config.cpu, "memory": args.config.memory}
    return {
        "settings": {
            "clusterName": args.cluster_name,
            # The queue's name. Helm ignores an unknown key: interruption would silently be off.
            "interruptionQueue": queue_name,
            "isolatedVPC": args.isolated,
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
        # CoreDNS starts later, and may one day run on nodes that Karpenter has to launch first.
        "dnsPolicy": "Default",
        "controller": {
            # Without limits the code takes the node's memory for its own.
            "resources": {"requests": resources, "limits": resources},
            # Fargate has no metadata service, and a hop limit of 1 keeps pods from it.
            "env": [{"name": "AWS_REGION", "value": args.location.region}],
        },
    }


def flow_schema(namespace: str, noun: str) -> dict[str, Any]:
    """Upstream's two: leases at the level of leader election, everything else above workloads."""
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
