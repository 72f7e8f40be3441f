"""Error answers in the form that the engine and its user expect."""

from typing import Any, NoReturn

import grpc
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import status_pb2

from rehearsal.aws.provider.account import AwsError, ConfigurationError
from rehearsal.aws.provider.source import NoAnswer


class Refused(Exception):
    """Why the request cannot be served, for the user."""


def explain(error: Exception, where: str) -> str:
    """Explains an error to the user, with the affected resource."""
    if isinstance(error, AwsError | NoAnswer | ConfigurationError):
        return f"{where}: {error}"
    # A mistake of the table itself: say where, so that the entry can be mended.
    return f"{where}: {type(error).__name__}: {error} (in the stand-in AWS provider's table)"


def abort(context: Any, message: str) -> NoReturn:
    """Ends the request with an error."""
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise Refused(message)


def abort_half_made(context: Any, half: Any, structs: tuple[Any, Any], where: str) -> NoReturn:
    """End a create whose resource exists; `structs` are its state and its inputs."""
    # With its id the engine keeps the resource in the state, so that destroy removes it.
    message = f"{where}: {half}"
    detail = pb.ErrorResourceInitFailed(
        id=half.id, properties=structs[0], inputs=structs[1], reasons=[message]
    )
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=message)
    status.details.add().Pack(detail)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    abort(context, message)
