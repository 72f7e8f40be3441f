"""The stand-in for pulumi-eks: `python -m rehearsal.eks.provider ENGINE`, a Pulumi plugin."""

import os
import signal
import sys
import threading
import time
from typing import Any

import pulumi

# Makes `__self__` of a method call a resource with outputs.
import pulumi_eks  # noqa: F401  # pyright: ignore[reportUnusedImport]
from pulumi.provider import CallResult, ConstructResult, Provider, main

from rehearsal.eks import cluster
from rehearsal.eks.kubeconfig import kubeconfig_of

VERSION = "4.4.0"
"""Version of pulumi-eks that the plugin stands in for."""
ORPHAN_CHECK_SECONDS = 2


class StandIn(Provider):
    """Makes eks.Cluster, and answers its getKubeconfig."""

    def __init__(self) -> None:
        super().__init__(VERSION)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Any,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Constructs the component and its children; an error names what cannot be played."""
        if resource_type != cluster.TOKEN:
            raise pulumi.RunError(
                f"the rehearsal's stand-in for pulumi-eks plays {cluster.TOKEN} only "
                f"(got {resource_type}): use the types of pulumi_aws for everything else"
            )
        made = cluster.Cluster(name, inputs, options)
        return ConstructResult(urn=made.urn, state=made.state)

    def call(self, token: str, args: Any) -> CallResult:
        """Answers `getKubeconfig`: the kubeconfig as JSON, with other credentials."""
        if token != f"{cluster.TOKEN}/getKubeconfig":
            raise pulumi.RunError(f"the rehearsal's stand-in for pulumi-eks has no method {token}")
        credentials = {name: args.get(name) for name in ("roleArn", "profileName")}
        component = pulumi.Output.from_input(args["__self__"])
        text = component.apply(
            lambda made: pulumi.Output.json_dumps(
                kubeconfig_of(made.eks_cluster, credentials, with_profile=True)
            )
        )
        return CallResult(outputs={"result": text})


def _end(*_: object) -> None:
    os._exit(0)


def _end_with(engine: int) -> None:
    while os.getppid() == engine:
        time.sleep(ORPHAN_CHECK_SECONDS)
    _end()


if __name__ == "__main__":
    # So the engine ends its plugins; one that it left behind ends by itself.
    signal.signal(signal.SIGINT, _end)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    main(StandIn(), sys.argv[1:])
