"""Rules that every pod of the stack has a place to run."""

from collections.abc import Iterator

from components.addons.addon_config import NAMESPACE as ADDONS_NAMESPACE
from components.cluster.eks_addons_config import COREDNS_LABELS, Home
from components.cluster.eks_addons_config import NAMESPACE as COREDNS_NAMESPACE
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.section import Mistake
from components.workloads.overprovisioning.config import NAMESPACE as PAUSE_NAMESPACE
from components.workloads.overprovisioning.config import POD_LABELS as PAUSE_LABELS
from components.workloads.sample_workloads.config import NAMESPACE as SAMPLES_NAMESPACE
from stack_config.model import StackConfig


def coredns_has_one_home(config: StackConfig) -> Iterator[Mistake]:
    """CoreDNS must find the compute that EKS tells it to run on, and no other."""
    if isinstance(config.cluster, ExistingClusterConfig):
        return
    path, profile, home = "eksAddons.coredns.runsOn", config.coredns_profile, config.coredns_home
    wanted = config.eks_addons.coredns.runs_on
    pods = f"namespace {COREDNS_NAMESPACE}, label k8s-app: {COREDNS_LABELS['k8s-app']}"
    selector = f"`{COREDNS_NAMESPACE}: [{{namespace: {COREDNS_NAMESPACE}}}]`"
    if home is Home.FARGATE and not profile:
        yield Mistake(
            path,
            f"no profile of fargate.profiles selects CoreDNS's pods ({pods}): add {selector} to "
            "fargate.profiles, or choose nodeGroups or karpenter",
            home,
        )
    elif home is not Home.FARGATE and profile:
        yield Mistake(
            path,
            f"fargate.profiles.{profile} selects CoreDNS's pods ({pods}): drop this key, or "
            "narrow the profile's labels",
            home,
        )
    elif home is not Home.FARGATE and not wanted and not config.has_nodes:
        yield Mistake(
            path,
            f"CoreDNS has nowhere to run: add a profile for its pods ({pods}) to "
            "fargate.profiles, or karpenter, or managedNodeGroups or spotNodeGroups",
        )
    elif home is Home.NODE_GROUPS and not config.has_groups:
        yield Mistake(
            path,
            "there is no managedNodeGroups or spotNodeGroups: add one, or choose karpenter",
            home,
        )
    elif home is Home.KARPENTER and not config.karpenter:
        yield Mistake(path, "there is no karpenter: add it, or choose nodeGroups", home)


def addons_have_a_home(config: StackConfig) -> Iterator[Mistake]:
    """Every add-on's pods must have a place to run: else `pulumi up` waits for ten minutes and
    fails.
    """
    if config.has_nodes or isinstance(config.cluster, ExistingClusterConfig):
        return
    for path, addon in config.every_addon.items():
        if not (addon.ON_EVERY_NODE or config.profile_of(addon.POD_LABELS)):
            labels = ", ".join(f"{k}: {v}" for k, v in addon.POD_LABELS.items())
            yield Mistake(
                path,
                f"no profile of fargate.profiles selects its pods (namespace {ADDONS_NAMESPACE}, "
                f"label {labels}), and there are no nodes: add "
                f"`{ADDONS_NAMESPACE}: [{{namespace: {ADDONS_NAMESPACE}}}]` to fargate.profiles",
            )


def fargate_has_no_labels_to_select(config: StackConfig) -> Iterator[Mistake]:
    """Pods on Fargate must have no node selector, which Fargate would ignore."""
    for path, addon in config.every_addon.items():
        profile, wanted = config.profile_of(addon.POD_LABELS), getattr(addon, "node_selector", None)
        if profile and wanted and not addon.ON_EVERY_NODE:
            yield Mistake(
                f"{path}.nodeSelector",
                f"fargate.profiles.{profile} runs its pods, and disregards it: drop it, or narrow "
                "the profile's labels",
            )


def volumes_have_nodes(config: StackConfig) -> Iterator[Mistake]:
    """The EBS CSI driver needs nodes: pods on Fargate cannot mount EBS."""
    if config.has_nodes or isinstance(config.cluster, ExistingClusterConfig):
        return
    if config.addons.ebs_csi:
        yield Mistake(
            "addons.ebsCsi",
            "its volumes are mounted by nodes, and there are none: add karpenter, "
            "managedNodeGroups or spotNodeGroups, or drop it",
        )


def pause_pods_reserve_nodes(config: StackConfig) -> Iterator[Mistake]:
    """Pause pods need nodes: on Fargate a pause pod costs money and reserves nothing."""
    if not config.overprovisioning:
        return
    profile = config.fargate and config.fargate.profile_of(PAUSE_NAMESPACE, PAUSE_LABELS)
    if profile:
        yield Mistake(
            f"fargate.profiles.{profile}",
            f"selects namespace {PAUSE_NAMESPACE}, whose pods overprovisioning keeps on nodes: "
            "narrow it, or drop overprovisioning",
        )
    existing = isinstance(config.cluster, ExistingClusterConfig)
    if not (config.has_nodes or existing):
        yield Mistake(
            "overprovisioning",
            "there are no nodes to keep room on: add karpenter, managedNodeGroups or "
            "spotNodeGroups, or drop it",
        )


def samples_have_a_place(config: StackConfig) -> Iterator[Mistake]:
    """Every sample's pods must have a place to run: else `pulumi up` waits for ten minutes and
    fails.
    """
    samples = config.sample_workloads
    if not samples or config.has_nodes or isinstance(config.cluster, ExistingClusterConfig):
        return
    homeless = {
        key: None
        for key, labels in samples.pod_labels
        if not (config.fargate and config.fargate.profile_of(SAMPLES_NAMESPACE, labels))
    }
    for key in homeless:
        yield Mistake(
            f"sampleWorkloads.{key}",
            "nothing would run it: add karpenter, managedNodeGroups, spotNodeGroups, or a profile "
            f"for namespace {SAMPLES_NAMESPACE}",
        )


def samples_have_their_metrics(config: StackConfig) -> Iterator[Mistake]:
    """A HorizontalPodAutoscaler needs metrics-server: without metrics it never changes anything."""
    samples = config.sample_workloads
    ecsdemo = samples and samples.ecsdemo
    if ecsdemo and ecsdemo.horizontal_pod_autoscaler and not config.addons.metrics_server:
        if isinstance(config.cluster, ExistingClusterConfig):
            return  # an existing cluster may have one that is not in this file
        yield Mistake(
            "sampleWorkloads.ecsdemo.horizontalPodAutoscaler",
            "metricsServer measures its load: add it to addons, or drop this key",
        )
