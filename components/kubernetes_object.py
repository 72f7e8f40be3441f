"""A Kubernetes object by its manifest."""

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
        version, kind = manifest["apiVersion"], manifest["kind"]
        group = "" if "/" in version else "core/"
        super().__init__(f"kubernetes:{group}{version}:{kind}", name, dict(manifest), opts)
