"""`python -m rehearsal.aws.provider ENGINE`: how the Pulumi engine starts the plugin."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from rehearsal.aws.provider.servicer import StandIn

MAX_MESSAGE_BYTES = 400 * 1024 * 1024
"""Limit of Pulumi's own plugins; gRPC's 4 MB are too few for large stacks."""
PARALLEL_REQUESTS = 64
ORPHAN_CHECK_SECONDS = 2


def _end(*_: object) -> None:
    os._exit(0)


def serve(provider: StandIn) -> None:
    """Serves until the engine ends the plugin, or is gone itself."""
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ]
    server = grpc.server(ThreadPoolExecutor(max_workers=PARALLEL_REQUESTS), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    # So the engine ends its plugins; it waits seconds for one that is still tidying up.
    signal.signal(signal.SIGINT, _end)
    engine = os.getppid()
    while server.wait_for_termination(timeout=ORPHAN_CHECK_SECONDS):
        if os.getppid() != engine:
            server.stop(grace=None)
            return


if __name__ == "__main__":
    serve(StandIn())
