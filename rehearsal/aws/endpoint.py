"""The played AWS: `python -m rehearsal.aws.endpoint --port P --region R --account A …`.

One process and one port answer every service. moto does what it can; in front of it stand what it
lacks: EKS, prices, the images of EKS.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import argparse
import base64
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import make_server

from components import versions
from rehearsal.aws import (
    control_paths,
    iam_propagation,
    images,
    moto_endpoints,
    moto_gaps,
    moto_gateways,
    moto_launches,
    price_api,
    signed_requests,
)
from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.api import EksApi
from rehearsal.aws.eks_service.front import Front
from rehearsal.aws.eks_service.kubernetes import ApiServer
from rehearsal.aws.eks_service.state import ControlPlane, Eks
from rehearsal.aws.eks_service.tokens import Authenticator
from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.query_filters import filters, form_of
from rehearsal.aws.quotas import Quotas
from rehearsal.aws.scaling.scaling import Scaling
from rehearsal.aws.self_managed_nodes import SelfManagedNodes

READY_PATH = "/_rehearsal/ready"
TICK = 2.0  # seconds between two looks at what is under way
UNLOCKED = ("sqs",)
"""Services with long calls, which run without the lock so that others need not wait."""

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]


MOTO_SETTINGS = {
    # With AWS's own policies a wrong policy ARN is an error, as on AWS.
    "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",
}
"""Settings that moto reads when it creates its first backend."""


class QuietHandler(MotoRequestHandler):
    """A request handler that logs no requests."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Logs nothing: thousands of lines would hide the one that matters."""


class Endpoint:
    """WSGI application that routes each request to the part that answers it."""

    def __init__(self, eks: Eks, moto: Application) -> None:
        """`moto` answers what the other parts do not."""
        self.eks = eks
        self.moto = moto
        self.eks_api = EksApi(eks)
        self.authenticator = Authenticator(eks)
        self.quotas = Quotas(eks.account)
        moto_launches.install()
        moto_endpoints.install()
        moto_gateways.install()
        self.scaling = Scaling(eks.account)
        self.nodes = SelfManagedNodes(eks, self.scaling)
        eks.followers = [self.scaling.settle, self.nodes.follow]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(control_paths.PREFIX):
            return self._control(environ, start_response)
        service = signed_requests.service(environ)
        if service == "eks":
            return self.eks_api(environ, start_response)
        try:
            own = self._own_answer(service, environ)
        except AwsError as error:
            return _refuse(start_response, error, service)
        if own:
            return _respond(start_response, *own)
        if service in UNLOCKED:
            return self.moto(environ, start_response)
        # moto's dictionaries are not made for several threads, and EKS looks into them.
        with self.eks.lock:
            return list(self.moto(environ, start_response))

    def _control(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == READY_PATH:
            return _respond(start_response, b"ready", "text/plain")
        with self.eks.lock:
            if environ["PATH_INFO"] == control_paths.AUTHENTICATE:
                review = self.authenticator.review(json.loads(signed_requests.body(environ)))
                return _respond(start_response, json.dumps(review).encode(), "application/json")
            return control_paths.answer(self.scaling.interruptions, environ, start_response)

    def _own_answer(self, service: str, environ: Environ) -> tuple[bytes, str] | None:
        account = self.eks.account
        if service == "pricing":
            action = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
            if action != "GetProducts":
                raise AwsError("UnknownOperationException", f"pricing:{action} is not played")
            products = price_api.get_products(signed_requests.body(environ), account.region)
            return json.dumps(products).encode(), "application/x-amz-json-1.1"
        if service == "servicequotas":
            action = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
            region, body = signed_requests.region(environ), signed_requests.body(environ)
            return self.quotas.answer(action, body, region), "application/x-amz-json-1.1"
        if service == "ec2":
            body = signed_requests.body(environ)
            with self.eks.lock:
                self.quotas.check(body)
            if b"Action=DescribeSpotPriceHistory" in body:
                return price_api.spot_price_history(body, account.id, account.region), "text/xml"
            if b"Action=DescribeImages" in body:
                self._make_named_images(body)
        if service == "elasticfilesystem":
            return self._fill_a_gap(environ)
        if service == "ssm":
            self._make_images(signed_requests.body(environ))
        return None

    def _make_images(self, body: bytes) -> None:
        requested = json.loads(body or b"{}")
        account = self.eks.account
        for name in [requested.get("Name"), *requested.get("Names", [])]:
            if isinstance(name, str) and name.startswith("/aws/service/"):
                with self.eks.lock:
                    images.ensure_parameter(account.id, account.region, name)
        if isinstance(path := requested.get("Path"), str) and path.startswith("/aws/service/"):
            with self.eks.lock:
                images.ensure_below(account.id, account.region, path)

    def _make_named_images(self, body: bytes) -> None:
        account = self.eks.account
        for by, values in filters(form_of(body)):
            for name in values if by == "name" else ():
                with self.eks.lock:
                    images.ensure_named(account.id, account.region, name)

    def _fill_a_gap(self, environ: Environ) -> tuple[bytes, str] | None:
        account, body, path = self.eks.account, signed_requests.body(environ), environ["PATH_INFO"]
        with self.eks.lock:
            if environ["REQUEST_METHOD"] == "PUT" and moto_gaps.FILE_SYSTEM.fullmatch(path):
                answer = moto_gaps.update_file_system(account, path, body)
                return answer.encode(), "application/json"
        return None


def _respond(start_response: Any, content: bytes, content_type: str) -> list[bytes]:
    headers = [("Content-Type", content_type), ("Content-Length", str(len(content)))]
    start_response("200 OK", headers)
    return [content]


def _refuse(start_response: Any, error: AwsError, service: str) -> list[bytes]:
    content = json.dumps({"__type": error.code, "message": error.message}).encode()
    content_type = "application/x-amz-json-1.1"
    if service == "ec2":
        details = f"<Code>{escape(error.code)}</Code><Message>{escape(error.message)}</Message>"
        content = f"<Response><Errors><Error>{details}</Error></Errors></Response>".encode()
        content_type = "text/xml"
    status = HTTPStatus.BAD_REQUEST
    headers = [("Content-Type", content_type), ("x-amzn-errortype", error.code)]
    start_response(
        f"{status.value} {status.phrase}", [*headers, ("Content-Length", str(len(content)))]
    )
    return [content]


def create(arguments: argparse.Namespace) -> Endpoint:
    """The application of a rehearsal."""
    iam_propagation.install(iam_propagation.REHEARSED)
    front = Front(arguments.api_server)
    control_plane = ControlPlane(
        endpoint=front.url,
        ca_data=lambda: base64.b64encode(arguments.ca_file.read_bytes()).decode(),
    )
    known = {
        minor: {name: [version] for name, version in addons.items()}
        for minor, addons in versions.EKS_ADDONS.items()
    }
    eks = Eks(
        account=MotoAccount(arguments.account, arguments.region),
        kubernetes=ApiServer(arguments.kubeconfig),
        control_plane=control_plane,
        addon_versions=known,
    )
    endpoint = Endpoint(eks, DomainDispatcherApplication(create_backend_app))
    eks.followers.append(lambda: front.follow(eks))
    return endpoint


def keep_settling(eks: Eks, stop: threading.Event) -> None:
    """Advances everything that is under way, also without requests: nodes follow their groups, pods
    end.
    """
    while not stop.wait(TICK):
        with eks.lock:
            try:
                eks.settle()
            except Exception as error:  # the API server may be going down: the next call tells
                logging.getLogger(__name__).warning("not settled: %s", error)


def main(argv: list[str]) -> None:
    """Serve until SIGTERM."""
    arguments = _arguments(argv)
    os.environ.update(MOTO_SETTINGS, MOTO_ACCOUNT_ID=arguments.account)
    endpoint = create(arguments)
    server = make_server(
        "127.0.0.1", arguments.port, endpoint, threaded=True, request_handler=QuietHandler
    )
    stop = threading.Event()

    def end(*_: object) -> None:
        stop.set()
        # shutdown() waits for serve_forever(), which this very thread runs.
        threading.Thread(target=server.shutdown).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    threading.Thread(target=keep_settling, args=(endpoint.eks, stop), daemon=True).start()
    server.serve_forever()


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rehearsal.aws.endpoint")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--region", required=True)
    parser.add_argument("--account", required=True, help="12 digits")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--api-server", required=True, help="what answers behind the endpoint")
    parser.add_argument("--ca-file", type=Path, required=True, help="its CA certificate")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(sys.argv[1:])
