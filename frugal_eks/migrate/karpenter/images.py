"""Converts amiFamily and amiSelector of AWSNodeTemplate v1alpha1 to amiAlias or
amiSelectorTerms.
"""

from collections.abc import Mapping
from typing import Any

from components.karpenter.node_classes.images import follows
from frugal_eks.migrate.karpenter.part import Part
from frugal_eks.migrate.karpenter.selectors import image_terms

AL2023 = "al2023@v20260930"
PINNED = {"AL2": AL2023, "AL2023": AL2023, "Bottlerocket": "bottlerocket@v1.66.0"}
"""Alias for a family without amiSelector; the old API took the newest image at each launch."""
WINDOWS = {"Windows2019": "windows2019@latest", "Windows2022": "windows2022@latest"}
"""Aliases of Windows families, of which AWS keeps no older release to pin."""
UBUNTU_ROOT = "/dev/sda1"

_PINNED = "pinned: the old API took the newest, which now replaces nodes at each release"
_NO_AL2 = "not AL2, which has no image from Kubernetes 1.33 on"


def put_images(part: Part, spec: Mapping[str, Any]) -> None:
    """Puts the image of a class; the old API used AL2 by default."""
    family = str(spec.get("amiFamily") or "AL2")
    terms, mistakes = image_terms(spec.get("amiSelector") or {})
    for mistake in mistakes:
        path = f"spec.amiSelector.{mistake.path}" if mistake.path else "spec.amiSelector"
        part.leave(path, mistake.problem, mistake.value)
    if terms:
        part.put("amiSelectorTerms", terms)
        if any(follows(term.get("name", ""), term.get("owner")) for term in terms):
            part.put("allowLatest", True, "as before: new images of that name replace these nodes")
        _put_family(part, family)
    elif family in WINDOWS:
        comment = f"{family} has no release to pin: AWS decides when these nodes are replaced"
        part.put("amiAlias", WINDOWS[family], comment)
        part.put("allowLatest", True)
    elif family in PINNED:
        part.put("amiAlias", PINNED[family], _NO_AL2 if family == "AL2" else "")
        part.say(_PINNED, "amiAlias")
    else:
        part.put("amiAlias", AL2023, f"a stand-in: {family} needs an image of your own")
        text = (
            f"Karpenter finds no image for {family} by itself any more: put the image into "
            "amiSelectorTerms, with amiFamily Custom, instead of amiAlias"
        )
        part.leave("spec.amiFamily", text, family)


def _put_family(part: Part, family: str) -> None:
    """Puts the user data's format, which a custom image does not tell."""
    if family == "AL2":
        comment = "AL2's user data, as before; AWS has no AL2 image from Kubernetes 1.33 on"
        part.put("amiFamily", family, comment)
    elif family == "Ubuntu":
        part.put("amiFamily", "Custom", "Ubuntu is no family any more: see what is left")
        text = (
            "is no family any more, so Karpenter writes no user data for it: give userData that "
            "joins the cluster with the taint karpenter.sh/unregistered:NoExecute"
        )
        part.leave("spec.amiFamily", text, family)
    else:
        part.put("amiFamily", family)
