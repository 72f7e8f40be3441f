"""EKS's API as a WSGI application."""

import logging
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from rehearsal.aws import signed_requests
from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import (
    access,
    addons,
    cluster_versions,
    clusters,
    fargate,
    nodegroups,
    pod_identity,
    tags,
    updates,
    wire,
)
from rehearsal.aws.eks_service.state import CALLER, Answer, Eks, Params

Handler = Callable[[Eks, Params], Answer]

HANDLERS: dict[str, Handler] = {
    **access.HANDLERS,
    **addons.HANDLERS,
    **cluster_versions.HANDLERS,
    **clusters.HANDLERS,
    **fargate.HANDLERS,
    **nodegroups.HANDLERS,
    **pod_identity.HANDLERS,
    **tags.HANDLERS,
    **updates.HANDLERS,
}
"""Handlers by the operation's name in AWS's model."""

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class EksApi:
    """Answers all calls of EKS's API, one at a time, so that checked conditions stay true."""

    def __init__(self, eks: Eks) -> None:
        self.eks = eks

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        try:
            status, headers, content = HTTPStatus.OK, [], wire.answer(self._do(environ))
        except AwsError as error:
            status = HTTPStatus(wire.status_of(error))
            headers = [("x-amzn-errortype", error.code)]
            content = wire.answer({"message": error.message})
        except Exception as error:
            logging.getLogger(__name__).exception("%s failed", environ["PATH_INFO"])
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            headers = [("x-amzn-errortype", "ServerException")]
            content = wire.answer({"message": f"The played EKS failed, see its log: {error}"})
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]
        start_response(f"{status.value} {status.phrase}", headers)
        return [content]

    def _do(self, environ: dict[str, Any]) -> Answer:
        operation, labels = wire.operation_of(
            environ["REQUEST_METHOD"], environ.get("REQUEST_URI") or environ["PATH_INFO"]
        )
        body = signed_requests.body(environ)
        params = wire.read(operation, labels, environ.get("QUERY_STRING", ""), body)
        handler = HANDLERS.get(operation.name)
        if handler is None:
            raise AwsError(
                "InvalidRequestException",
                f"The rehearsal does not play eks:{operation.name}: leave out what needs it",
            )
        with self.eks.lock:
            caller = self.eks.account.caller(signed_requests.access_key(environ))
            self.eks.settle()
            return handler(self.eks, {**params, CALLER: caller})
