"""What a stack file may say of the add-ons that EKS installs, and where CoreDNS may run."""

import enum
from typing import Annotated, Literal

from pydantic import Field

from ..section import Section

NAMESPACE = "kube-system"
COREDNS_LABELS = {"k8s-app": "kube-dns"}
"""What CoreDNS's pods carry: a Fargate selector must match it."""

AddonVersion = Annotated[
    str, Field(pattern=r"^(pinned|default|latest|v\d+\.\d+\.\d+-eksbuild\.\d+)$")
]


class EksAddonConfig(Section):
    """Which build of an add-on, and what happens to objects that somebody changed."""

    version: AddonVersion = "pinned"
    """`pinned`: this release's (components/versions.py). An exact build. `default` and `latest` ask
    AWS at each run, so that a preview can show a change that nobody made here."""
    resolve_conflicts_on_create: Literal["NONE", "OVERWRITE"] = "OVERWRITE"
    """What becomes of objects that are there already. NONE: the add-on fails."""
    resolve_conflicts_on_update: Literal["NONE", "OVERWRITE", "PRESERVE"] = "OVERWRITE"
    """PRESERVE keeps what was changed by kubectl."""
    preserve: bool = False
    """Leave its objects in the cluster when the add-on is taken off."""


class Home(enum.StrEnum):
    """What CoreDNS's pods may stand on: one of these and no other."""

    FARGATE = "fargate"
    NODE_GROUPS = "nodeGroups"
    KARPENTER = "karpenter"


class CoreDnsConfig(EksAddonConfig):
    """The cluster's DNS: two replicas in one home."""

    runs_on: Home | None = None
    """Absent: Fargate where a profile takes its pods, else node groups, else Karpenter's nodes."""
    replicas: int = Field(default=2, ge=1)
    """How many pods. On Fargate each is billed by itself, about 10 USD a month."""


class EksAddonsConfig(Section):
    """The add-ons of every cluster; each has a sensible default."""

    # It takes the network interfaces of nodes that are still going: it must not go with the add-on.
    vpc_cni: EksAddonConfig = EksAddonConfig(preserve=True)
    """The network of pods. By default its objects stay when the add-on goes, for nodes that are
    still going."""
    kube_proxy: EksAddonConfig = EksAddonConfig()
    """The rules of Services on each node."""
    pod_identity_agent: EksAddonConfig = EksAddonConfig()
    """Only where there can be nodes: Pod Identity does not work on Fargate."""
    coredns: CoreDnsConfig = CoreDnsConfig()
    """The cluster's DNS."""
