"""The plugin's gRPC service: Pulumi's provider protocol on the table of AWS types."""

# ruff: noqa: ARG002 (the protocol gives each method two parameters, under these names)
import sys
import threading
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2_grpc
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.rpc import UNKNOWN

from rehearsal.aws.provider import (
    checks,
    configuration,
    data_sources,
    differences,
    importing,
    lifecycle,
)
from rehearsal.aws.provider.account import Account, ConfigurationError
from rehearsal.aws.provider.answers import abort, abort_half_made, explain
from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.provider.structs import secrets_in, to_python, to_struct
from rehearsal.aws.resource_types import TYPES
from rehearsal.aws.resource_types.entry import ResourceType, Values

VERSION = "7.51.1"
"""Version of pulumi-aws that the plugin stands in for."""

Diff = pb.DiffResponse
KINDS = {
    ("add", False): pb.PropertyDiff.ADD,
    ("add", True): pb.PropertyDiff.ADD_REPLACE,
    ("delete", False): pb.PropertyDiff.DELETE,
    ("delete", True): pb.PropertyDiff.DELETE_REPLACE,
    ("update", False): pb.PropertyDiff.UPDATE,
    ("update", True): pb.PropertyDiff.UPDATE_REPLACE,
}


class StandIn(provider_pb2_grpc.ResourceProviderServicer):
    """Answers the engine; each plugin process has one instance."""

    def __init__(self) -> None:
        self.account: Account | None = None

    def Handshake(self, request: Any, context: Any) -> Any:
        return pb.ProviderHandshakeResponse(accept_secrets=True)

    def Attach(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=VERSION)

    def GetSchema(self, request: Any, context: Any) -> Any:
        return pb.GetSchemaResponse(schema="{}")

    def CheckConfig(self, request: Any, context: Any) -> Any:
        news = to_python(request.news)
        failures = [
            pb.CheckFailure(property=name, reason=reason)
            for name, reason in configuration.problems(news)
        ]
        return pb.CheckResponse(inputs=request.news, failures=failures)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        old, new = to_python(request.old_inputs or request.olds), to_python(request.news)
        names = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        changes = Diff.DIFF_SOME if names else Diff.DIFF_NONE
        return Diff(changes=changes, diffs=names)

    def Configure(self, request: Any, context: Any) -> Any:
        try:
            self.account = configuration.account(to_python(request.args))
        except ConfigurationError as error:
            abort(context, str(error))
        # Two thirds of a second for botocore, while the program itself is still starting.
        threading.Thread(target=_warm_up, args=(self.account,), daemon=True).start()
        return pb.ConfigureResponse(supportsPreview=True, acceptSecrets=True)

    def Check(self, request: Any, context: Any) -> Any:
        kind, account = self._kind(request.urn, context), self._account(context)
        news, olds = to_python(request.news), to_python(request.olds)
        auto = request.autonaming
        naming = checks.Naming(
            name=_name(request.urn),
            seed=request.randomSeed,
            proposed=auto.proposed_name,
            disabled=auto.mode == pb.CheckRequest.AutonamingOptions.DISABLE,
        )
        try:
            inputs = checks.fill_in(kind, news, olds, naming, account)
        except checks.NameTooLong as error:
            abort(context, str(error))
        failures = [
            pb.CheckFailure(property=problem.property, reason=problem.reason)
            for problem in checks.problems(kind, inputs, account)
        ]
        hidden = secrets_in(request.news)
        return pb.CheckResponse(inputs=to_struct(inputs, hidden), failures=failures)

    def Diff(self, request: Any, context: Any) -> Any:
        kind = self._kind(request.urn, context)
        checked = to_python(request.news)
        news = checks.without_internals(checked)
        difference = differences.between(
            kind,
            old_inputs=checks.without_internals(to_python(request.old_inputs)),
            state=to_python(request.olds),
            news=news,
            ignored=request.ignoreChanges,
        )
        if not difference.paths:
            return Diff(changes=Diff.DIFF_NONE, hasDetailedDiff=True)
        defaults = checked.get(checks.DEFAULTS, [])
        return Diff(
            changes=Diff.DIFF_SOME,
            diffs=sorted(difference.changed),
            replaces=sorted(difference.replaces),
            deleteBeforeReplace=bool(difference.replaces)
            and differences.delete_first(kind, news, defaults),
            detailedDiff={
                path: pb.PropertyDiff(kind=KINDS[what]) for path, what in difference.paths.items()
            },
            hasDetailedDiff=True,
        )

    def Create(self, request: Any, context: Any) -> Any:
        kind = self._kind(request.urn, context)
        inputs = checks.without_internals(to_python(request.properties))
        hidden = secrets_in(request.properties)
        if request.preview:
            planned = self._planned(kind, inputs, context)
            return pb.CreateResponse(properties=to_struct(planned, hidden))
        running = self._running(request, context, "create", inputs=inputs)
        try:
            state = lifecycle.create(running, TYPES)
        except lifecycle.HalfMade as half:
            half_made = (to_struct(half.state, hidden), to_struct(inputs, hidden))
            abort_half_made(context, half, half_made, self._where(request.urn))
        except Exception as error:
            abort(context, explain(error, self._where(request.urn)))
        return pb.CreateResponse(id=running.id, properties=to_struct(state, hidden))

    def Read(self, request: Any, context: Any) -> Any:
        kind = self._kind(request.urn, context)
        kept = to_python(request.inputs)
        inputs = checks.without_internals(kept) or importing.inputs_from_id(
            kind, request.id, to_python(request.properties)
        )
        running = self._running(request, context, inputs=inputs)
        try:
            state = lifecycle.read(running)
        except Exception as error:
            abort(context, explain(error, self._where(request.urn)))
        if state is None:
            return pb.ReadResponse()
        seen = importing.inputs_from_state(kind, state, inputs if kept else {})
        if checks.DEFAULTS in kept:
            seen[checks.DEFAULTS] = kept[checks.DEFAULTS]
        hidden = secrets_in(request.properties, request.inputs)
        return pb.ReadResponse(
            id=request.id, properties=to_struct(state, hidden), inputs=to_struct(seen, hidden)
        )

    def Update(self, request: Any, context: Any) -> Any:
        kind = self._kind(request.urn, context)
        inputs = checks.without_internals(to_python(request.news))
        state = to_python(request.olds)
        old = checks.without_internals(to_python(request.old_inputs))
        difference = differences.between(
            kind, old_inputs=old, state=state, news=inputs, ignored=request.ignoreChanges
        )
        hidden = secrets_in(request.news)
        if request.preview:
            planned = _still_known(kind, state) | self._planned(kind, inputs, context, state)
            return pb.UpdateResponse(properties=to_struct(planned, hidden))
        # What AWS was seen to have counts as the old value: drift is put right, too.
        before = old | {name: state[name] for name in difference.changed if name in state}
        running = self._running(request, context, "update", inputs=inputs, old=before)
        try:
            done = lifecycle.update(running, TYPES, difference.changed)
        except Exception as error:
            abort(context, explain(error, self._where(request.urn)))
        return pb.UpdateResponse(properties=to_struct(done, hidden))

    def Delete(self, request: Any, context: Any) -> Any:
        kind = self._kind(request.urn, context)
        state = to_python(request.properties)
        inputs = checks.without_internals(to_python(request.old_inputs)) or {
            name: state[name] for name in kind.properties if name in state
        }
        try:
            lifecycle.delete(self._running(request, context, "delete", inputs=inputs))
        except Exception as error:
            abort(context, explain(error, self._where(request.urn)))
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        try:
            answer = data_sources.answer(
                request.tok, to_python(request.args), self._account(context)
            )
        except Exception as error:
            abort(context, explain(error, request.tok))
        response = pb.InvokeResponse()
        # `return` is a keyword of Python.
        getattr(response, "return").CopyFrom(to_struct(answer))
        return response

    def Cancel(self, request: Any, context: Any) -> Any:
        if self.account:
            self.account.stopping.set()
        return empty_pb2.Empty()

    def _kind(self, urn: str, context: Any) -> ResourceType:
        token = urn.split("::")[2].rpartition("$")[2]
        if token in TYPES:
            return TYPES[token]
        return abort(
            context,
            f"the stand-in AWS provider does not know the type {token}: add an entry to a page in "
            "rehearsal/aws/resource_types/ (entry.py says what an entry holds)",
        )

    def _account(self, context: Any) -> Account:
        return self.account or abort(context, "the stand-in AWS provider is not configured")

    def _where(self, urn: str) -> str:
        return f"{urn.split('::')[2].rpartition('$')[2]} '{_name(urn)}'"

    def _running(self, request: Any, context: Any, operation: str = "", **details: Any) -> Any:
        kind = self._kind(request.urn, context)
        return Running(
            kind=kind,
            account=self._account(context),
            id=getattr(request, "id", ""),
            timeout_seconds=kind.timeouts.seconds(operation, getattr(request, "timeout", 0)),
            **details,
        )

    def _planned(
        self, kind: ResourceType, inputs: Values, context: Any, state: Values | None = None
    ) -> Values:
        """State as known before the update: the inputs; AWS's own outputs are unknown if new.

        `state` is that of a resource which is there already.
        """
        planned: Values = dict(inputs)
        if state is None:
            computed = [name for name in kind.properties if name not in inputs]
            planned |= dict.fromkeys([*kind.outputs, *computed], UNKNOWN)
        for name, property in kind.properties.items():
            if property.computed_inside and isinstance(given := inputs.get(name), dict):
                before = as_object((state or {}).get(name))
                filled = {part: before.get(part, UNKNOWN) for part in property.computed_inside}
                planned[name] = filled | given
        if kind.regional:
            planned["region"] = self._account(context).region
        if kind.tag_map:
            planned["tagsAll"] = as_object(inputs.get("tags"))
        return planned


def _still_known(kind: ResourceType, state: Values) -> Values:
    return state | dict.fromkeys(kind.changing, UNKNOWN)


def _name(urn: str) -> str:
    return urn.split("::", 3)[3]


def _warm_up(account: Account) -> None:
    try:
        for service in ("ec2", "iam", "eks"):
            account.client(service)
    except Exception as error:
        print(f"warm-up: {error}", file=sys.stderr)
