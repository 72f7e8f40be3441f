"""The stack file's settings of the add-ons that EKS installs, and of CoreDNS's place."""

import enum
from typing import Annotated, Literal

from pydantic import Field

from ..section import Section

NAMESPACE = "kube-system"
COREDNS_LABELS = {"k8s-app": "kube-dns"}
"""Labels of CoreDNS's pods; a Fargate selector must match them."""

AddonVersion = Annotated[
    str, Field(pattern=r"^(pinned|default|latest|v\d+\.\d+\.\d+-eksbuild\.\d+)$")
]


class EksAddonConfig(Section):
    """An EKS add-on: its build, and what happens to objects that somebody changed."""

    version: AddonVersion = "pinned"
    """Build of the add-on. `pinned`: the one of this release (components/versions.py); or an exact
    build. `default` and `latest` ask AWS at each run, so that a preview can show a change that
    nobody made here.
    """
    resolve_conflicts_on_create: Literal["NONE", "OVERWRITE"] = "OVERWRITE"
    """What happens to objects that already exist. NONE: the add-on fails."""
    resolve_conflicts_on_update: Literal["NONE", "OVERWRITE", "PRESERVE"] = "OVERWRITE"
    """What happens to changed objects in an update. PRESERVE keeps changes that were made by
    kubectl.
    """
    preserve: bool = False
    """If true, the add-on's objects stay in the cluster when it is removed."""


class Home(enum.StrEnum):
    """Compute that CoreDNS's pods may run on: exactly one of these."""

    FARGATE = "fargate"
    NODE_GROUPS = "nodeGroups"
    KARPENTER = "karpenter"


class CoreDnsConfig(EksAddonConfig):
    """CoreDNS, the cluster's DNS: two replicas in one place."""

    runs_on: Home | None = None
    """Compute of CoreDNS's pods. Absent: Fargate if a profile selects them, else node groups, else
    Karpenter's nodes.
    """
    replicas: int = Field(default=2, ge=1)
    """Number of pods. On Fargate each is billed by itself, about 10 USD per month."""


class EksAddonsConfig(Section):
    """EKS add-ons of every cluster; each has a sensible default."""

    # It takes the network interfaces of nodes that are still going: it must not go with the add-on.
    vpc_cni: EksAddonConfig = EksAddonConfig(preserve=True)
    """The network of pods. By default its objects stay when the add-on is removed, for nodes that
    are still being deleted.
    """
    kube_proxy: EksAddonConfig = EksAddonConfig()
    """Rules of Services on each node."""
    pod_identity_agent: EksAddonConfig = EksAddonConfig()
    """The agent of EKS Pod Identity, installed only if there can be nodes: Pod Identity does not
    work on Fargate.
    """
    coredns: CoreDnsConfig = CoreDnsConfig()
    """The cluster's DNS."""
