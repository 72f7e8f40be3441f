"""A Kubernetes object by its manifest, and a patch of an object that somebody else creates."""

from collections.abc import Mapping
from typing import Any

import pulumi


class KubernetesObject(pulumi.CustomResource):
    """A Kubernetes object, which engine and provider cannot tell from pulumi_kubernetes' typed
    class.

    Importing the typed package of `core/v1` alone takes 0.25 s, a fifth of this program's start,
    and custom resources have no typed class. The manifest spells everything as the Kubernetes API
    does; `apiVersion` and `kind` are plain text.
    """

    def __init__(
        self,
        name: str,
        manifest: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(_type(manifest), name, dict(manifest), opts)


class KubernetesPatch(pulumi.CustomResource):
    """A server-side-apply patch, which owns some fields of an object that another resource creates.

    The manifest names the object, `metadata.name` as plain text, and contains only these fields.
    Deleting the patch removes the fields; the object stays. pulumi_kubernetes has `ServicePatch`
    and its like.
    """

    def __init__(
        self,
        name: str,
        manifest: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(f"{_type(manifest)}Patch", name, dict(manifest), opts)


def _type(manifest: Mapping[str, Any]) -> str:
    """Pulumi's type token for the object's kind."""
    version, kind = manifest["apiVersion"], manifest["kind"]
    group = "" if "/" in version else "core/"
    return f"kubernetes:{group}{version}:{kind}"
