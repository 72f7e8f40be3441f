"""A provider that takes every type and every input, and gives back what it got."""

import os
import signal
from concurrent import futures

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as messages
from pulumi.runtime.proto.provider_pb2_grpc import (
    ResourceProviderServicer,
    add_ResourceProviderServicer_to_server,
)


class Echo(ResourceProviderServicer):
    """Nothing is made anywhere."""

    def Handshake(self, _request, _context):
        return messages.ProviderHandshakeResponse()

    def GetPluginInfo(self, _request, _context):
        return plugin_pb2.PluginInfo(version="1.0.0")

    def CheckConfig(self, request, _context):
        return messages.CheckResponse(inputs=request.news)

    def DiffConfig(self, _request, _context):
        return messages.DiffResponse(changes=messages.DiffResponse.DIFF_NONE)

    def Configure(self, _request, _context):
        return messages.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Check(self, request, _context):
        return messages.CheckResponse(inputs=request.news)

    def Diff(self, _request, _context):
        return messages.DiffResponse(changes=messages.DiffResponse.DIFF_NONE)

    def Create(self, request, _context):
        made = "" if request.preview else "made"
        return messages.CreateResponse(id=made, properties=request.properties)

    def Cancel(self, _request, _context):
        return empty_pb2.Empty()


def serve() -> None:
    """Runs as the plugin: the port on the first line, then answers until it is ended."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    server = grpc.server(futures.ThreadPoolExecutor(4))
    add_ResourceProviderServicer_to_server(Echo(), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    serve()
