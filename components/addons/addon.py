"""What every add-on has in common: where its pods run, how large they are, what it needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import pulumi
import pulumi_kubernetes as k8s
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from ..cluster_ref import ClusterRef
from ..iam.pod_role import PodRole, PodRoleArgs
from ..kubernetes.admission import Pods
from ..kubernetes.chart_release import chart_release
from ..kubernetes.charts import Chart, Installation
from ..kubernetes.kubernetes_object import KubernetesObject
from ..kubernetes.labels import LabelKey, LabelValue
from ..kubernetes.quantities import Quantity
from ..placement import ON_ANY_NODE, Placement, RunsOn
from ..section import Mistake, Section
from . import user_values

NAMESPACE = "kube-system"
"""The namespace of all add-ons: its pods may have the highest priorities, and one Fargate selector
takes all."""
FARGATE_SIZE = {"cpu": "250m", "memory": "256M"}
"""The most that still fits Fargate's smallest size, which adds 256 MB and rounds up."""
NODE_SIZE = {"cpu": "50m", "memory": "128Mi"}


class Need(NamedTuple):
    """Another add-on without which this one cannot do what its section asks for."""

    path: str
    """The key, below this add-on's section, that asks for it; empty: the section itself."""
    addon: str
    """The other one's key in `addons`."""
    why: str


class AddonConfig(Section):
    """The base of every add-on's section. Absent means off."""

    POD_LABELS: ClassVar[Mapping[str, str]]
    """What its pods carry: a Fargate selector must match it."""
    ENDPOINTS: ClassVar[tuple[str, ...]] = ()
    """AWS services that its pods call: each needs an endpoint where there is no other way."""
    NO_ENDPOINT: ClassVar[str | None] = None
    """An AWS service that its pods call and that has no endpoint in a VPC."""
    ON_EVERY_NODE: ClassVar[bool] = False
    """Whether all its pods are a DaemonSet's: they have no other home, and Fargate runs none."""

    def needs(self) -> Iterator[Need]:
        """Add-ons that must be on too."""
        yield from ()


class ChartConfig(AddonConfig):
    """An add-on that a chart installs: how large its pods are, and what else the chart is told."""

    CHART_NAME: ClassVar[str]
    """The chart's own name, under which its values lie in `chart_values`."""
    OWN_VALUES: ClassVar[Mapping[str, str]] = {}
    """Values of the chart that a values file must leave alone, with what to do instead."""
    ON_FARGATE: ClassVar[Mapping[str, str]] = FARGATE_SIZE
    ON_NODES: ClassVar[Mapping[str, str]] = NODE_SIZE

    cpu: Quantity | None = None
    """vCPUs of each pod. Absent: on Fargate what its smallest size holds, on nodes what the add-on
    needs."""
    memory: Quantity | None = None
    """Memory of each pod. Absent: on Fargate what its smallest size holds, 250m and 256M; on nodes
    50m and 128Mi."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """On nodes only: where its pods may run, for example `lifecycle: OnDemand`."""
    values_file: str | None = Field(default=None, min_length=1)
    """A YAML file with values of the chart, relative to the project: they win over the program's,
    which may rely on its own. Lists replace lists."""

    @field_validator("values_file")
    @classmethod
    def _holds_values_of_the_chart(cls, file: str | None) -> str | None:
        problems = list(user_values.problems(file, cls.CHART_NAME, cls.OWN_VALUES)) if file else []
        if problems:
            mistakes = [Mistake("", problem, file) for problem in problems]
            context = {"told": "; ".join(problems), "mistakes": mistakes}
            raise PydanticCustomError("rules", "{told}", context)
        return file

    def resources(self, runs_on: RunsOn) -> dict[str, dict[str, str]]:
        """The size that the section or the add-on itself asks for: see `resources`."""
        default = self.ON_FARGATE if runs_on is RunsOn.FARGATE else self.ON_NODES
        size = {
            "cpu": self.cpu or default["cpu"],
            "memory": self.memory or default["memory"],
        }
        return resources(size, runs_on)


def resources(size: Mapping[str, str], runs_on: RunsOn) -> dict[str, dict[str, str]]:
    """Requests, and limits that equal them: Fargate knows no others. On nodes a limit of the
    processor would only slow pods down where there is some to spare."""
    limits = size if runs_on is RunsOn.FARGATE else {"memory": size["memory"]}
    return {"requests": dict(size), "limits": dict(limits)}


class PodsConfig(ChartConfig):
    """An add-on whose pods are a Deployment's."""

    replicas: int = Field(default=1, ge=1, le=3)
    """On Fargate each is billed by itself: 0.25 vCPU and 0.5 GB are about 10 USD a month."""


@dataclass(frozen=True, kw_only=True)
class AddonArgs:
    """What every add-on is given; its own Args add the stack file's part as `config`."""

    cluster: ClusterRef
    """The cluster that gets the add-on."""
    placement: Placement = ON_ANY_NODE
    """The place of the add-on's pods, and what the pods need there."""


@dataclass(frozen=True, kw_only=True)
class ChartArgs(AddonArgs):
    """What an add-on is given that a chart installs."""

    config: ChartConfig
    """The stack file's part."""


def install(
    name: str,
    chart: Chart,
    args: ChartArgs,
    values: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> k8s.helm.v3.Release:
    """The chart in kube-system, with these values and the user's own over them."""
    if args.config.values_file:
        values = user_values.merged(values, user_values.read(args.config.values_file))
    into = Installation(namespace=NAMESPACE, values=values)
    return chart_release(name, chart, into, args.cluster.charts, opts)


@dataclass(frozen=True, kw_only=True)
class ServiceAccountArgs:
    """Whose pods they are, and what they may do in AWS."""

    addon: AddonArgs
    """What the add-on was given."""
    service_account: str
    """The name of its service account in kube-system."""
    policy: pulumi.Input[Mapping[str, Any]] | None = None
    """A policy document of the role's own."""
    managed_policies: Mapping[str, pulumi.Input[str]] | None = None
    """ARNs of managed policies by a short noun that names the attachment."""


class AddonAccount(pulumi.ComponentResource):
    """A service account of kube-system with its role; pods started after it have the rights."""

    role_arn: pulumi.Output[str]
    """Known once the policies are attached."""
    associated: str | None
    """The account's name where its pods get their rights by Pod Identity; None on Fargate, where
    they do by IRSA."""

    def __init__(
        self, name: str, args: ServiceAccountArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:AddonAccount", name, None, opts)
        addon = args.addon
        role = PodRole(
            f"{name}-role",
            PodRoleArgs(
                cluster=addon.cluster,
                runs_on=addon.placement.runs_on,
                namespace=NAMESPACE,
                service_account=args.service_account,
                policy=args.policy,
                managed_policies=args.managed_policies or {},
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        metadata: dict[str, Any] = {"name": args.service_account, "namespace": NAMESPACE}
        if role.annotations:
            metadata["annotations"] = role.annotations
        KubernetesObject(
            f"{name}-account",
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
            opts=pulumi.ResourceOptions(
                parent=self, provider=addon.cluster.provider, depends_on=[role]
            ),
        )
        self.role_arn = role.role_arn
        self.associated = args.service_account if addon.placement.on_nodes else None
        self.register_outputs({"roleArn": self.role_arn})


def release_options(
    parent: pulumi.Resource, args: ChartArgs, account: AddonAccount | None = None
) -> pulumi.ResourceOptions:
    """For an add-on's release: after its account and all it needs, and after EKS's webhooks know
    them."""
    pods = Pods(
        namespace=NAMESPACE,
        labels=args.config.POD_LABELS,
        profile=args.placement.profile,
        service_account=account.associated if account else None,
    )
    return pulumi.ResourceOptions(
        parent=parent,
        provider=args.cluster.provider,
        depends_on=[*([account] if account else []), *args.placement.needs],
        hooks=args.cluster.admission.hooks(pods),
    )
