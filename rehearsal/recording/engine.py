"""An engine that records what a program declares instead of deploying it."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import pulumi
from google.protobuf.json_format import MessageToDict, ParseDict
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks
from pulumi.runtime.mocks import MockMonitor

from components.kubernetes.first_request import Api
from rehearsal.recording.account import CONTROL_PLANE, CONTROL_PLANE_STATE, Answers
from rehearsal.recording.computed import COMPUTED
from rehearsal.recording.property_names import property_names

_RESOURCE_SIGNATURE = "5cf8f73096256a8f31e491e813e4eb8e"
_SIGNATURE_KEY = "4dabf18193072939515e22adb298388d"


class Declared(NamedTuple):
    """A resource as the engine receives it; the request has parent, dependencies, provider."""

    urn: str
    inputs: dict[str, Any]
    request: Any


class ApiRequest(NamedTuple):
    """A request that the program itself sends to the Kubernetes API."""

    server: str
    path: str
    after: list[Declared]
    """Resources declared by the time of the request."""


class Deployment(MockMonitor, Mocks):
    """Records resources; refuses data sources without an answer, unknown types and unknown inputs.

    With `any_type` an unknown type is taken as it is: what AWS would fill in is missing then.
    """

    def __init__(self, answers: Answers, *, preview: bool, any_type: bool = False) -> None:
        super().__init__(mocks=self)
        self.any_type = any_type
        self.answers = answers
        self.preview = preview
        self.declared: list[Declared] = []
        self.outputs: dict[str, dict[str, Any]] = {}
        self.asked: list[ApiRequest] = []
        self._needed: dict[str, set[str]] = {}

    def connect(self, kubeconfig: str) -> Api:
        """Stands for the Kubernetes API: answers at once, and keeps what it was asked."""
        server = json.loads(kubeconfig)["clusters"][0]["cluster"]["server"]
        return _Recorded(server, self)

    def call(self, args: MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        if args.token not in self.answers:
            raise LookupError(f"there is no answer for the data source {args.token}")
        query = cast(dict[str, Any], args.args)  # pyright: ignore[reportUnknownMemberType]
        return self.answers[args.token](query), []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        component = args.typ.startswith("frugal-eks:")
        inputs = cast(dict[str, Any], args.inputs)  # pyright: ignore[reportUnknownMemberType]
        if not component and not self.any_type and args.typ not in COMPUTED:
            raise LookupError(
                f"COMPUTED in rehearsal/recording/computed.py does not know {args.typ}"
            )
        if not component and not self.any_type:
            refuse_unknown_names(args.typ, args.name, inputs)
        if component or self.preview:
            return None, inputs
        name = inputs.get("name", args.name)
        service = args.typ.split(":")[1].split("/")[0]
        path = inputs.get("path", "/")
        computed = {
            key: text.format(name=name, service=service, path=path)
            if isinstance(text, str)
            else text
            for key, text in COMPUTED.get(args.typ, {}).items()
        }
        if args.typ == "eks:index:Cluster":
            computed["eksCluster"] = self._control_plane(args.name, inputs["name"])
        return f"{args.name}-id", computed | inputs

    def _control_plane(self, name: str, cluster: str) -> dict[str, Any]:
        """A reference to the component's child, as the engine hands it out."""
        urn = f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::{CONTROL_PLANE}::{name}"
        state = CONTROL_PLANE_STATE | {"name": cluster}
        self.resources[urn] = self.ResourceRegistration(urn, name, state)
        reference = {_SIGNATURE_KEY: _RESOURCE_SIGNATURE, "urn": urn, "id": cluster}
        return reference | {"packageVersion": ""}

    def RegisterResource(self, request: Any) -> Any:
        # The stock monitor would look references up once more, in a loop of its own, and hang.
        plain = type(request)()
        plain.CopyFrom(request)
        plain.object.Clear()
        ParseDict(_without_references(MessageToDict(request.object)), plain.object)
        response: Any = super().RegisterResource(plain)  # pyright: ignore[reportUnknownMemberType]
        if request.type != "pulumi:pulumi:Stack":
            self.declared.append(Declared(response.urn, MessageToDict(request.object), request))
            self._needed.clear()
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:
        self.outputs[request.urn.rpartition("::")[2]] = MessageToDict(request.outputs)
        return super().RegisterResourceOutputs(request)  # pyright: ignore[reportUnknownMemberType]

    def every(self, kind: str) -> list[Declared]:
        """All resources of this type, in order of declaration."""
        return [declared for declared in self.declared if declared.request.type == kind]

    def named(self, kind: str, name: str) -> Declared:
        """The resource of this type and name; an error lists the existing ones."""
        named = [declared for declared in self.every(kind) if declared.request.name == name]
        assert named, f"no {name} among {[declared.request.name for declared in self.every(kind)]}"
        return named[0]

    def one(self, kind: str) -> Declared:
        """The only resource of this type; an error lists the existing ones."""
        all_of_kind = self.every(kind)
        assert len(all_of_kind) == 1, f"{len(all_of_kind)} of {kind} in {self.tree()}"
        return all_of_kind[0]

    def tree(self) -> list[str]:
        """Type and name of all declared resources, each indented below its parent."""
        requests = {declared.urn: declared.request for declared in self.declared}

        def path(urn: str) -> list[str]:
            if not (request := requests.get(urn)):
                return []
            return [*path(request.parent), f"{request.type.rpartition(':')[2]} {request.name}"]

        return ["  " * (len(line) - 1) + line[-1] for line in sorted(map(path, requests))]

    def waits_for(self, first: Declared, second: Declared) -> bool:
        """True if `second` is created before `first`, and so deleted after it."""
        return second.urn in self._needs(first.urn) - {first.urn}

    def _needs(self, urn: str) -> set[str]:
        """Everything that this resource waits for, itself included."""
        if urn not in self._needed:
            requests = {declared.urn: declared.request for declared in self.declared}
            seen, open_urns = set[str](), [urn]
            while open_urns:
                each = open_urns.pop()
                if each in seen:
                    continue
                seen.add(each)
                open_urns += self._directly_needed(each, requests.get(each))
            self._needed[urn] = seen
        return self._needed[urn]

    def _directly_needed(self, urn: str, request: Any) -> list[str]:
        if request is None:
            # The control plane is a child of its component.
            return [d.urn for d in self.every("eks:index:Cluster") if CONTROL_PLANE in urn]
        # A component is held until its providers are known, and all inside until it is there.
        providers = [ref.rpartition("::")[0] for ref in request.providers.values()]
        providers.append(request.provider.rpartition("::")[0])
        return [*request.dependencies, *filter(None, [*providers, request.parent])]


class _Recorded(NamedTuple):
    server: str
    deployment: Deployment

    def get(self, path: str) -> None:
        self.deployment.asked.append(ApiRequest(self.server, path, [*self.deployment.declared]))


def refuse_unknown_names(kind: str, name: str, inputs: Mapping[str, Any]) -> None:
    """Refuses inputs that the SDK's class of this type lacks. Raises LookupError."""
    known = property_names(kind)
    unknown = sorted(inputs.keys() - known) if known is not None else []
    if unknown:
        raise LookupError(f"{kind} {name}: the SDK has no {', '.join(unknown)}")


def _without_references(value: Any) -> Any:
    """Inputs with resources replaced by their URNs."""
    if isinstance(value, list):
        return [_without_references(item) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    fields = cast(dict[str, Any], value)
    if fields.get(_SIGNATURE_KEY) == _RESOURCE_SIGNATURE:
        return fields["urn"]
    return {key: _without_references(item) for key, item in fields.items()}
