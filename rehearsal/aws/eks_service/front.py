"""Plays the cluster's endpoint: forwards connections to the API server once it is usable."""

import contextlib
import socket
import struct
import threading
import time

from rehearsal.aws.eks_service.state import Eks

USABLE_AFTER = 2.0
"""Seconds after ACTIVE in which the endpoint answers nobody; on AWS about 30 to 120
(cluster-active-before-endpoint-usable: aws/containers-roadmap#654, awslabs/eks-perf-tests#599).
"""
CHUNK = 65536
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER value that resets a closed connection, as a load balancer without targets does."""


class Front:
    """Listens on its own port, and forwards each connection to the API server unread."""

    def __init__(self, api_server: str, usable_after: float = USABLE_AFTER) -> None:
        """`api_server` is https://127.0.0.1:port; `usable_after` is in seconds."""
        host, _, port = api_server.removeprefix("https://").partition(":")
        self._target = (host, int(port))
        self._usable_after = usable_after
        self._active_since: float | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def follow(self, eks: Eks) -> None:
        """Opens some seconds after the cluster is there, and closes with it. To be called again."""
        active = any(cluster.status in {"ACTIVE", "UPDATING"} for cluster in eks.clusters.values())
        if not active:
            self._active_since = None
        elif self._active_since is None:
            self._active_since = time.monotonic()

    @property
    def usable(self) -> bool:
        """True if connections reach the API server."""
        since = self._active_since
        return since is not None and time.monotonic() >= since + self._usable_after

    def close(self) -> None:
        """Stops listening."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            if not self.usable:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                return
            with socket.create_connection(self._target) as server:
                answers = threading.Thread(target=_pump, args=(server, client), daemon=True)
                answers.start()
                _pump(client, server)
                answers.join()
        except OSError:  # the API server is going down: the client sees its connection end
            pass
        finally:
            client.close()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # either side has gone away
        for end in (source, sink):
            _shut(end)


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        end.shutdown(socket.SHUT_RDWR)
