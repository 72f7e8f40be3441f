"""A Kubernetes object by its manifest, and a patch of one that somebody else makes."""

from collections.abc import Mapping
from typing import Any

import pulumi


class KubernetesObject(pulumi.CustomResource):
    """The same resource as pulumi_kubernetes' typed class, as far as engine and provider see it.

    The typed package of `core/v1` alone takes 0.25 s to import, a fifth of this program's start,
    and custom resources have none. The manifest spells everything as the Kubernetes API does;
    `apiVersion` and `kind` are plain text.
    """

    def __init__(
        self,
        name: str,
        manifest: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(_type(manifest), name, dict(manifest), opts)


class KubernetesPatch(pulumi.CustomResource):
    """Fields of an object that another resource makes, by server-side apply as their one manager.

    The manifest names the object, `metadata.name` as plain text, and has these fields only. With
    the patch they go, and the object stays. In pulumi_kubernetes: `ServicePatch` and its like.
    """

    def __init__(
        self,
        name: str,
        manifest: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(f"{_type(manifest)}Patch", name, dict(manifest), opts)


def _type(manifest: Mapping[str, Any]) -> str:
    """Pulumi's token for the object's kind."""
    version, kind = manifest["apiVersion"], manifest["kind"]
    group = "" if "/" in version else "core/"
    return f"kubernetes:{group}{version}:{kind}"
