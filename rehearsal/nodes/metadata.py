"""Plays EC2's instance metadata, version 2 only, with the instance as first path segment."""

import http.server
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.nodes import notices
from rehearsal.nodes.pod_credentials import AWS_ERRORS
from rehearsal.state import State

TOKEN = "X-aws-ec2-metadata-token"
TOKEN_SECONDS = f"{TOKEN}-ttl-seconds"
TOKEN_PATH = "/latest/api/token"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A body, or a status that is not OK and no body."""

    status: HTTPStatus = HTTPStatus.OK
    body: str = ""
    headers: Mapping[str, str] | None = None


class Metadata:
    """Answers for every instance of the account."""

    def __init__(self, state: State) -> None:
        self.state, self.account = state, state.endpoints["account"]
        self.region = state.endpoints["region"]
        self.ec2 = aws_client("ec2", state.endpoints)
        self.autoscaling = aws_client("autoscaling", state.endpoints)
        self.tokens: dict[str, str] = {}
        """Instance of each token, valid as long as this process lives."""
        # What is asked for here stays as it is while an instance lives.
        self.instance = cache(self._instance)

    def new_token(self, instance: str, seconds: str) -> Answer:
        """A token for an instance, which IMDSv2 requires first."""
        token = secrets.token_urlsafe(40)
        self.tokens[token] = instance
        return Answer(body=token, headers={TOKEN_SECONDS: seconds})

    def get(self, instance: str, path: str, token: str | None) -> Answer:
        """Metadata at this path; 401 without a token, 404 if there is none."""
        if not token or self.tokens.get(token) != instance:
            return Answer(status=HTTPStatus.UNAUTHORIZED)
        look = self._paths(instance).get(path)
        body = look() if look else None
        if body is None:
            return Answer(status=HTTPStatus.NOT_FOUND)
        return Answer(body=body, headers={TOKEN_SECONDS: "21600"})

    def _paths(self, instance: str) -> dict[str, Callable[[], str | None]]:
        def fact(key: str) -> Callable[[], str | None]:
            return lambda: self.instance(instance)[key]

        def notice(name: str) -> Callable[[], str | None]:
            return lambda: _told(getattr(notices.read(self.state, instance), name))

        data, local = "/latest/meta-data", fact("PrivateDnsName")
        return {
            f"{data}/instance-id": lambda: instance,
            f"{data}/instance-type": fact("InstanceType"),
            f"{data}/instance-life-cycle": lambda: self._life_cycle(instance),
            f"{data}/hostname": local,
            f"{data}/local-hostname": local,
            f"{data}/local-ipv4": fact("PrivateIpAddress"),
            f"{data}/placement/availability-zone": lambda: self._zone(instance),
            f"{data}/placement/region": lambda: self.region,
            f"{data}/spot/instance-action": notice("spot_action"),
            f"{data}/events/recommendations/rebalance": notice("rebalance"),
            # Always there, unlike the two above.
            f"{data}/events/maintenance/scheduled": lambda: json.dumps(
                notices.read(self.state, instance).scheduled
            ),
            f"{data}/autoscaling/target-lifecycle-state": lambda: self._target_state(instance),
            "/latest/dynamic/instance-identity/document": lambda: json.dumps(
                {
                    "accountId": self.account,
                    "availabilityZone": self._zone(instance),
                    "instanceId": instance,
                    "instanceType": self.instance(instance)["InstanceType"],
                    "privateIp": self.instance(instance)["PrivateIpAddress"],
                    "region": self.region,
                }
            ),
        }

    def _instance(self, instance: str) -> dict[str, Any]:
        response = self.ec2.describe_instances(InstanceIds=[instance])
        return response["Reservations"][0]["Instances"][0]

    def _zone(self, instance: str) -> str:
        return self.instance(instance)["Placement"]["AvailabilityZone"]

    def _life_cycle(self, instance: str) -> str:
        return self.instance(instance).get("InstanceLifecycle") or "on-demand"

    def _target_state(self, instance: str) -> str | None:
        response = self.autoscaling.describe_auto_scaling_instances(InstanceIds=[instance])
        states = [entry["LifecycleState"] for entry in response["AutoScalingInstances"]]
        if not states:
            return None
        return "Terminated" if states[0].startswith("Terminating") else "InService"


def _told(notice: Mapping[str, str] | None) -> str | None:
    return None if notice is None else json.dumps(notice)


def serve(metadata: Metadata) -> str:
    """Serves until the process ends; returns the address to which instance ids are appended."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            instance, path = _split(self.path)
            seconds = self.headers.get(TOKEN_SECONDS)
            if path != TOKEN_PATH or not seconds:
                self._answer(Answer(status=HTTPStatus.BAD_REQUEST))
            else:
                self._answer(metadata.new_token(instance, seconds))

        def do_GET(self) -> None:
            instance, path = _split(self.path)
            try:
                self._answer(metadata.get(instance, path, self.headers.get(TOKEN)))
            except (*AWS_ERRORS, IndexError):
                # The instance is gone, or the played AWS is going.
                self._answer(Answer(status=HTTPStatus.INTERNAL_SERVER_ERROR))

        def _answer(self, answer: Answer) -> None:
            body = answer.body.encode()
            self.send_response(answer.status)
            for name, value in (answer.headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Logs nothing: each handler sends four requests in two seconds."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def _split(path: str) -> tuple[str, str]:
    """Instance and path of a request for /i-0abc/latest/…"""
    instance, _, rest = path.lstrip("/").partition("/")
    return instance, "/" + rest
