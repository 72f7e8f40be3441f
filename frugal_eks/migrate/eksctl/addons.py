"""Converts the EKS add-ons of a ClusterConfig, with their versions."""

import re

from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_PLACES: dict[str, Place] = {
    "vpc-cni": ("eksAddons", "vpcCni"),
    "kube-proxy": ("eksAddons", "kubeProxy"),
    "coredns": ("eksAddons", "coredns"),
    "eks-pod-identity-agent": ("eksAddons", "podIdentityAgent"),
    "aws-ebs-csi-driver": ("addons", "ebsCsi"),
    "aws-efs-csi-driver": ("addons", "efsCsi"),
    "metrics-server": ("addons", "metricsServer"),
}
_AS_CHARTS = {"aws-efs-csi-driver", "metrics-server"}
_BUILD = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")
_CNI_POLICY = "AmazonEKS_CNI_Policy"
_OTHER = "the program installs no such EKS add-on: make it in a program of yours (aws.eks.Addon)"


def convert_addons(source: Reader, out: Sections) -> None:
    """Converts `addons` to `eksAddons` and `addons`."""
    for addon in source.parts("addons"):
        name = addon.value.get("name")
        place = _PLACES.get(str(name))
        if place is None:
            out.leave(addon.rest(_OTHER))
            continue
        addon.take("name")
        out.ensure(place)
        if str(name) in _AS_CHARTS:
            out.say(place, "installed by its chart here, not as an EKS add-on")
            out.leave(addon.note("version", "the chart is pinned by this release"))
        else:
            _version(addon, place, out)
            _conflicts(addon, place, out)
        policies = Reader(addon.value).texts("attachPolicyARNs")
        if name == "vpc-cni" and policies and all(_is_cni(each) for each in policies):
            addon.take("attachPolicyARNs")
        out.leave(
            addon.rest("the program sets what the add-on needs, rights included: not carried over")
        )


def _version(addon: Reader, place: Place, out: Sections) -> None:
    version = addon.text("version")
    if version == "latest":
        out.put((*place, "version"), "latest", "asked at each run: drop it for this release's pin")
    elif version and _BUILD.fullmatch(version):
        # A build belongs to the minors that it was made for.
        why = f"was {version}: this release's build for the cluster's version"
        out.put((*place, "version"), "pinned", why)
    elif version:
        out.put((*place, "version"), "default", f"was {version}, which names no build")


def _conflicts(addon: Reader, place: Place, out: Sections) -> None:
    resolution = addon.value.get("resolveConflicts")
    if isinstance(resolution, str) and resolution.upper() in {"NONE", "OVERWRITE", "PRESERVE"}:
        addon.take("resolveConflicts")
        out.put((*place, "resolveConflictsOnUpdate"), resolution.upper())
        if resolution.upper() == "NONE":
            out.put((*place, "resolveConflictsOnCreate"), "NONE")


def _is_cni(policy: str) -> bool:
    return policy.endswith(f":policy/{_CNI_POLICY}")
