"""Runs reconcilers of the data plane, whatever errors the API server or the played AWS return."""

import threading
from typing import Protocol

from lightkube.core.exceptions import ApiError

from rehearsal.errors import RehearsalError
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AWS_ERRORS

QUIET_SECONDS, STARTING_SECONDS = 2.0, 0.2


class Reconciler(Protocol):
    """Runs real programs for pods."""

    name: str

    @property
    def comes_up(self) -> bool:
        """True if a program was started that has not yet answered."""
        ...

    def reconcile(self) -> None:
        """Reconciles the pods and the programs once."""
        ...

    def stop(self) -> None:
        """Ends all programs."""
        ...


def run(reconciler: Reconciler, due: threading.Event, stopping: threading.Event) -> None:
    """Reconciles after each change and, while a program starts, five times a second."""
    while not stopping.is_set():
        due.wait(timeout=STARTING_SECONDS if reconciler.comes_up else QUIET_SECONDS)
        due.clear()
        try:
            reconciler.reconcile()
        except RehearsalError as error:
            print(f"{reconciler.name}: {error}", flush=True)
        except (ApiError, *AWS_ERRORS, *cluster.UNREACHABLE) as error:
            print(f"{reconciler.name}: {error}", flush=True)
            stopping.wait(cluster.PAUSE)
    reconciler.stop()
