"""What a stack file may say, and how its mistakes are told."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import pulumi
from pydantic import Field, ValidationError, create_model

import compatibility
import stack_mistakes
from components.cluster import ClusterConfig
from components.eks_addons import COREDNS_LABELS, EksAddonsConfig
from components.eks_addons import NAMESPACE as ADDONS_NAMESPACE
from components.fargate import FargateConfig
from components.karpenter.controller import POD_LABELS
from components.karpenter.karpenter import KarpenterConfig
from components.managed_nodes import ManagedNodeGroupConfig
from components.network.config import NetworkConfig, NewNetworkConfig
from components.pod_role import RunsOn
from components.sample_workloads import NAMESPACE as SAMPLES_NAMESPACE
from components.sample_workloads import SampleWorkloadsConfig
from components.section import Mistake, Section

NodeGroupName = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,62}$")]


class StackConfig(Section):
    """Everything of a stack file that this program reads. Absent means off."""

    region: str = Field(alias="aws:region", pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")
    """Read once, here: provider, policies and charts all get it from this key."""
    cluster: ClusterConfig
    network: NetworkConfig
    eks_addons: EksAddonsConfig = EksAddonsConfig()
    fargate: FargateConfig | None = None
    managed_node_groups: Mapping[NodeGroupName, ManagedNodeGroupConfig] = {}
    karpenter: KarpenterConfig | None = None
    sample_workloads: SampleWorkloadsConfig | None = None
    chart_mirror: str | None = Field(default=None, pattern=r"^(oci://|/|\./)\S+$")
    """Where charts come from instead of upstream: a folder, or an `oci://` address."""

    @property
    def has_nodes(self) -> bool:
        """Whether there can be EC2 nodes at all."""
        return bool(self.karpenter or self.managed_node_groups)

    @property
    def isolated(self) -> bool:
        """Whether pods have no way to the internet. An existing VPC is taken to have one."""
        return isinstance(self.network, NewNetworkConfig) and self.network.nat_gateways == "none"

    @property
    def karpenter_profile(self) -> str | None:
        """The Fargate profile that runs Karpenter's controller, None where nodes do."""
        if not (self.karpenter and self.fargate):
            return None
        return self.fargate.profile_of(self.karpenter.namespace, POD_LABELS)

    @property
    def base_nodes(self) -> int:
        """How many nodes there are before Karpenter launches any."""
        return sum(group.size.initial for group in self.managed_node_groups.values())

    @property
    def karpenter_replicas(self) -> int:
        """The controller's pods: what is asked for, else two, or one where only one has a node."""
        wanted = self.karpenter and self.karpenter.controller.replicas
        return wanted or (2 if self.karpenter_profile or self.base_nodes > 1 else 1)

    @property
    def coredns_profile(self) -> str | None:
        """The Fargate profile that runs CoreDNS, None where nodes do."""
        return self.fargate and self.fargate.profile_of(ADDONS_NAMESPACE, COREDNS_LABELS)

    @property
    def coredns_runs_on(self) -> RunsOn:
        """CoreDNS's one home: the one that is asked for, else Fargate where a profile takes it."""
        wanted = self.eks_addons.coredns.runs_on
        return wanted or (RunsOn.FARGATE if self.coredns_profile else RunsOn.NODES)


class ConfigError(pulumi.RunError):
    """Mistakes in the stack file. Pulumi prints them without a traceback."""


def load() -> StackConfig:
    """The settings of the stack that runs. Raises ConfigError with every mistake at once."""
    namespace = f"{pulumi.get_project()}:"
    secrets = pulumi.runtime.get_config_secret_keys_env()
    settings = {
        key: "[secret]" if key in secrets else _decoded(text)
        for key, text in pulumi.runtime.get_config_env().items()
    }
    file = f"Pulumi.{pulumi.get_stack()}.yaml"
    ours = {k.removeprefix(namespace): v for k, v in settings.items() if k.startswith(namespace)}
    if not ours:
        raise ConfigError(
            f"{file} says nothing of {namespace}… yet: copy the config of "
            "stacks/Pulumi.nodeless.yaml into it and put your own names in"
        )
    if "aws:region" in settings:
        ours["aws:region"] = settings["aws:region"]
    config = parsed(ours)
    if isinstance(config, StackConfig):
        return config
    raise ConfigError("\n".join([f"{file} is not valid:", *map(stack_mistakes.line, config)]))


def parsed(settings: Mapping[str, Any]) -> StackConfig | Sequence[Mistake]:
    """The settings as the model, or all that is wrong with them. Nothing is looked up."""
    try:
        config = _validated(StackConfig, settings)
    except ValidationError as error:
        details = stack_mistakes.real(error.errors())
        unusable = {str(detail["loc"][0]) for detail in details}
        told = [m for detail in details for m in stack_mistakes.mistakes(detail, StackConfig)]
        return [*told, *_rules_that_still_count(settings, unusable)]
    return [*_broken(config, set())] or config


def _rules_that_still_count(settings: Mapping[str, Any], unusable: set[str]) -> Iterator[Mistake]:
    """The rules between sections that are all valid by themselves."""
    fields = {info.alias or name: name for name, info in StackConfig.model_fields.items()}
    missing = {fields[alias] for alias in unusable if alias in fields}
    open_fields: dict[str, Any] = {name: (Any, None) for name in missing}
    partial = create_model("PartialStackConfig", __base__=StackConfig, **open_fields)
    rest = {key: value for key, value in settings.items() if key not in unusable}
    return _broken(_validated(partial, rest), missing)


def _validated(model: type[StackConfig], settings: Mapping[str, Any]) -> StackConfig:
    # By alias only: in the file a key has one spelling.
    return model.model_validate_json(json.dumps(settings), by_alias=True, by_name=False)


def _broken(config: StackConfig, missing: set[str]) -> Iterator[Mistake]:
    for rule, sections in RULES.items():
        if not missing.intersection(sections):
            yield from rule(config)


def karpenter_has_a_home(config: StackConfig) -> Iterator[Mistake]:
    """Karpenter launches no node for itself."""
    if config.karpenter and not (config.karpenter_profile or config.managed_node_groups):
        namespace = config.karpenter.namespace
        yield Mistake(
            "karpenter.namespace",
            "no profile of fargate.profiles selects it, and there is no managedNodeGroups: add "
            f"`karpenter: [{{namespace: {namespace}}}]` to fargate.profiles, or a node group",
            namespace,
        )


def karpenter_pods_have_nodes(config: StackConfig) -> Iterator[Mistake]:
    """Helm waits for all of the controller's pods, and no two of them share a node."""
    if not config.karpenter or config.karpenter_profile or not config.managed_node_groups:
        return
    if config.karpenter_replicas > config.base_nodes:
        yield Mistake(
            "karpenter.controller.replicas",
            "each of the controller's pods needs a node of its own, and managedNodeGroups start "
            f"with {config.base_nodes}: lower it, or raise the size of a group",
            config.karpenter_replicas,
        )


def coredns_has_one_home(config: StackConfig) -> Iterator[Mistake]:
    """Pods that EKS tells to run on one kind of home must find it, and only it."""
    path, profile = "eksAddons.coredns.runsOn", config.coredns_profile
    pods = f"namespace {ADDONS_NAMESPACE}, label k8s-app: {COREDNS_LABELS['k8s-app']}"
    match config.coredns_runs_on:
        case RunsOn.FARGATE if not profile:
            yield Mistake(
                path,
                f"no profile of fargate.profiles selects CoreDNS's pods ({pods}): add "
                f"`{ADDONS_NAMESPACE}: [{{namespace: {ADDONS_NAMESPACE}}}]` to fargate.profiles, "
                "or choose nodes",
                "fargate",
            )
        case RunsOn.NODES if profile:
            yield Mistake(
                path,
                f"fargate.profiles.{profile} selects CoreDNS's pods ({pods}): drop this key, or "
                "narrow the profile's labels",
                "nodes",
            )
        case RunsOn.NODES if not config.has_nodes:
            yield Mistake(
                path,
                f"CoreDNS has nowhere to run: add a profile for its pods ({pods}) to "
                "fargate.profiles, or karpenter, or managedNodeGroups",
            )
        case _:
            pass


def karpenter_is_of_this_release(config: StackConfig) -> Iterator[Mistake]:
    """Charts, rights and event rules are one set."""
    if config.karpenter:
        version = config.karpenter.version
        problem = compatibility.karpenter_release_problem(version)
        if problem:
            yield Mistake("karpenter.version", problem, version)


def karpenter_fits_kubernetes(config: StackConfig) -> Iterator[Mistake]:
    """A Karpenter of this release runs on the cluster's Kubernetes."""
    if config.karpenter and not list(karpenter_is_of_this_release(config)):
        version = config.karpenter.version
        problem = compatibility.karpenter_problem(version, config.cluster.version)
        if problem:
            yield Mistake("karpenter.version", problem, version)


def karpenter_reaches_iam(config: StackConfig) -> Iterator[Mistake]:
    """IAM has no endpoint in a VPC, so nobody there can make an instance profile."""
    if config.isolated and config.karpenter and not config.karpenter.own_instance_profile:
        yield Mistake(
            "karpenter.ownInstanceProfile",
            "network.natGateways is none, and from there Karpenter cannot reach IAM to make an "
            "instance profile: set it to true",
            value=False,
        )


def samples_have_a_place(config: StackConfig) -> Iterator[Mistake]:
    """A sample that nobody runs makes `pulumi up` wait for ten minutes, and fail."""
    samples = config.sample_workloads
    inflate = samples and samples.inflate
    on_fargate = config.fargate and config.fargate.profile_of(SAMPLES_NAMESPACE, {"app": "inflate"})
    if inflate and not (config.has_nodes or on_fargate):
        yield Mistake(
            "sampleWorkloads.inflate",
            "nothing would run it: add karpenter, managedNodeGroups, or a profile for namespace "
            f"{SAMPLES_NAMESPACE}",
        )


Rule = Callable[[StackConfig], Iterator[Mistake]]
RULES: Mapping[Rule, set[str]] = {
    karpenter_has_a_home: {"karpenter", "fargate", "managed_node_groups"},
    karpenter_pods_have_nodes: {"karpenter", "fargate", "managed_node_groups"},
    coredns_has_one_home: {"eks_addons", "fargate", "karpenter", "managed_node_groups"},
    karpenter_is_of_this_release: {"karpenter"},
    karpenter_fits_kubernetes: {"karpenter", "cluster"},
    karpenter_reaches_iam: {"karpenter", "network"},
    samples_have_a_place: {"sample_workloads", "karpenter", "fargate", "managed_node_groups"},
}
"""Each rule between sections, and the sections that it reads."""


def _decoded(text: str) -> Any:
    """Pulumi hands objects and lists over as JSON, everything else as its text."""
    try:
        return json.loads(text, object_hook=_filled) if text.startswith(("{", "[")) else text
    except json.JSONDecodeError:
        return text


def _filled(section: dict[str, Any]) -> dict[str, Any]:
    """`key:` without a value must not read as absent: "", as Pulumi makes it at the top."""
    return {key: "" if value is None else value for key, value in section.items()}
