"""A played AWS and the engine's side of the provider protocol, without an engine."""

# ruff: noqa: ARG002 (the protocols that are played here name more than is needed)

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import grpc
import pytest
from google.protobuf import struct_pb2
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from pulumi.runtime.proto import provider_pb2 as pb
from werkzeug.serving import make_server

from rehearsal.aws.eks_service.state import ControlPlane, Eks
from rehearsal.aws.endpoint import Endpoint, QuietHandler
from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.provider.servicer import StandIn
from rehearsal.aws.provider.structs import to_python, to_struct
from rehearsal.aws.quotas import REFUSING
from tests.rehearsal.aws.provider.small_programs import on_engine  # noqa: F401 (a fixture)
from tests.rehearsal.aws.provider.world import World

REGION = "eu-west-1"


class Objects:
    """An API server that keeps what EKS applies; every workload is ready at once."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.node_counts: list[int] = []
        """How many nodes there were after each change."""

    @property
    def nodes(self) -> set[str]:
        """Their names."""
        return {name for kind, _, name in list(self.kept) if kind == "Node"}

    def check(self) -> None:
        """It always answers."""

    def apply(self, objects: Iterable[dict[str, Any]], *, force: bool = True) -> None:
        for one in objects:
            ready = {"conditions": [{"type": "Available", "status": "True"}]}
            self.kept[_key(one)] = one | {"status": ready}
            self.node_counts.append(len(self.nodes))

    def delete(self, objects: Iterable[dict[str, Any]], *, grace: int | None = None) -> None:
        for one in objects:
            self.kept.pop(_key(one), None)
            self.node_counts.append(len(self.nodes))

    def evict(self, pod: dict[str, Any]) -> None:
        self.delete([pod])

    def get(self, wanted: dict[str, Any]) -> dict[str, Any] | None:
        return self.kept.get(_key(wanted))

    def list(
        self, api_version: str, kind: str, labels: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        found = [one for (of_kind, _, _), one in self.kept.items() if of_kind == kind]
        wanted = (labels or {}).items()
        return [one for one in found if wanted <= one["metadata"].get("labels", {}).items()]


def _key(one: Mapping[str, Any]) -> tuple[str, str, str]:
    meta = one["metadata"]
    return one["kind"], meta.get("namespace", ""), meta["name"]


@pytest.fixture(scope="session")
def objects() -> Objects:
    """What the cluster's API server keeps."""
    return Objects()


@pytest.fixture(scope="session")
def eks_state(objects: Objects) -> Eks:
    """EKS as the played account has it; creating, updating and deleting take no time."""
    return Eks(
        account=MotoAccount(DEFAULT_ACCOUNT_ID, REGION),
        kubernetes=objects,
        control_plane=ControlPlane(endpoint="https://127.0.0.1:6443", ca_data=lambda: "Q0E="),
        addon_versions={
            "1.35": {"kube-proxy": ["v1.35.3-eksbuild.2", "v1.35.0-eksbuild.1"]},
            "1.36": {"kube-proxy": ["v1.36.0-eksbuild.1"]},
        },
        moment=0.0,
    )


@pytest.fixture(scope="session")
def played_aws(eks_state: Eks) -> Iterator[str]:
    """The URL of the rehearsal's own endpoint, in this process."""
    settings = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": REGION,
        "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",
    }
    with mock.patch.dict(os.environ, settings):
        application = Endpoint(eks_state, DomainDispatcherApplication(create_backend_app))
        # One region holds what all tests of the process have made.
        application.quotas.values.update(dict.fromkeys(REFUSING, 10_000))
        server = make_server(
            "127.0.0.1", 0, application, threaded=True, request_handler=QuietHandler
        )
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{server.server_port}"
        yield os.environ["AWS_ENDPOINT_URL"]
        server.shutdown()
        serving.join()
        server.server_close()


class Refusal(Exception):
    """The provider's answer is an error, or its check found problems."""


class Context:
    """The part of gRPC's context that the provider uses."""

    trailing: tuple[Any, ...] = ()

    def abort(self, code: grpc.StatusCode, message: str) -> None:
        raise Refusal(message)

    def set_trailing_metadata(self, metadata: tuple[Any, ...]) -> None:
        self.trailing = metadata


@dataclass
class Resource:
    """A resource as the engine keeps it in its state."""

    urn: str
    id: str
    inputs: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)


class Engine:
    """Creates, updates and deletes one resource at a time, as the engine would."""

    Refusal = Refusal
    Context = Context
    Resource = Resource

    def __init__(self, **config: Any) -> None:
        self.provider = StandIn()
        arguments = to_struct({"region": "eu-west-1"} | config)
        self.provider.Configure(pb.ConfigureRequest(args=arguments), Context())

    def check(
        self, token: str, name: str, props: dict[str, Any], olds: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        request = pb.CheckRequest(
            urn=urn(token, name),
            news=to_struct(props),
            olds=to_struct(olds or {}),
            randomSeed=name.encode(),
        )
        response = self.provider.Check(request, Context())
        if response.failures:
            raise Refusal("; ".join(f"{f.property}: {f.reason}" for f in response.failures))
        return to_python(response.inputs)

    def create(self, token: str, name: str, props: dict[str, Any]) -> Resource:
        inputs = self.check(token, name, props)
        request = pb.CreateRequest(urn=urn(token, name), properties=to_struct(inputs))
        response = self.provider.Create(request, Context())
        return Resource(urn(token, name), response.id, inputs, to_python(response.properties))

    def preview_create(self, token: str, name: str, props: dict[str, Any]) -> dict[str, Any]:
        inputs = self.check(token, name, props)
        request = pb.CreateRequest(urn=urn(token, name), properties=to_struct(inputs), preview=True)
        return to_python(self.provider.Create(request, Context()).properties)

    def diff(self, made: Resource, props: dict[str, Any], ignored: tuple[str, ...] = ()) -> Any:
        token, name = made.urn.split("::")[2:]
        inputs = self.check(token, name, props, made.inputs)
        request = pb.DiffRequest(
            urn=made.urn,
            id=made.id,
            olds=to_struct(made.state),
            news=to_struct(inputs),
            old_inputs=to_struct(made.inputs),
            ignoreChanges=ignored,
        )
        return self.provider.Diff(request, Context())

    def refresh(self, made: Resource) -> Resource | None:
        request = pb.ReadRequest(
            urn=made.urn,
            id=made.id,
            properties=to_struct(made.state),
            inputs=to_struct(made.inputs),
        )
        response = self.provider.Read(request, Context())
        if not response.id:
            return None
        inputs, state = to_python(response.inputs), to_python(response.properties)
        return Resource(made.urn, response.id, inputs, state)

    def update(self, made: Resource, props: dict[str, Any], *, preview: bool = False) -> Resource:
        token, name = made.urn.split("::")[2:]
        inputs = self.check(token, name, props, made.inputs)
        request = pb.UpdateRequest(
            urn=made.urn,
            id=made.id,
            olds=to_struct(made.state),
            news=to_struct(inputs),
            old_inputs=to_struct(made.inputs),
            preview=preview,
        )
        state = to_python(self.provider.Update(request, Context()).properties)
        return Resource(made.urn, made.id, inputs, state)

    def delete(self, made: Resource, *, timeout: float = 0.1) -> None:
        request = pb.DeleteRequest(
            urn=made.urn,
            id=made.id,
            properties=to_struct(made.state),
            old_inputs=to_struct(made.inputs),
            timeout=timeout,
        )
        self.provider.Delete(request, Context())

    def invoke(self, token: str, args: dict[str, Any]) -> dict[str, Any]:
        request = pb.InvokeRequest(tok=token, args=to_struct(args))
        response = self.provider.Invoke(request, Context())
        returned: struct_pb2.Struct = getattr(response, "return")
        return to_python(returned)


@pytest.fixture(scope="session")
def engine(played_aws: str) -> Engine:  # noqa: ARG001 (sets AWS_ENDPOINT_URL)
    """An engine with a provider that is configured for the played AWS."""
    return Engine()


@pytest.fixture
def world(engine: Engine) -> Iterator[World]:
    """Makes what a resource needs; all of it is gone after the test."""
    world = World(engine)
    yield world
    world.clear()


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:dev::frugal-eks::{token}::{name}"
