"""Small clients of what a rehearsal plays: the AWS account and the Kubernetes API server."""

import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs]

from rehearsal.errors import RehearsalError
from rehearsal.state import Endpoints, State

ANYONE = {"aws_access_key_id": "rehearsal", "aws_secret_access_key": "rehearsal"}
"""Credentials without a session: the played AWS takes any key for the account's root."""
_ONE_AT_A_TIME = threading.Lock()
NOT_FOUND, BUSY = 404, 429
BUSY_SECONDS = 15.0
"""Seconds to retry: at the first request for a kind of a CRD the API server asks for patience
("storage is (re)initializing")."""


def aws_client(
    service: str, endpoints: Endpoints, credentials: Mapping[str, Any] | None = None
) -> Any:
    """A boto3 client of the played AWS, whatever the user's own profile and variables say.

    `credentials` are those of a session as STS hands them out.
    """
    config = Config(proxies={}, retries={"max_attempts": 2, "mode": "standard"}, connect_timeout=5)
    keys = ANYONE
    if credentials:
        keys = {
            "aws_access_key_id": credentials["AccessKeyId"],
            "aws_secret_access_key": credentials["SecretAccessKey"],
            "aws_session_token": credentials["SessionToken"],
        }
    # A session makes one client at a time.
    with _ONE_AT_A_TIME:
        return _session().client(
            service,
            region_name=endpoints["region"],
            endpoint_url=endpoints["aws"],
            config=config,
            **keys,
        )


@cache
def _session() -> Any:
    """Session that is made once for all clients: it reads AWS's list of endpoints, 0.15 s."""
    return boto3.Session()


class _Busy(RehearsalError):
    """The API server asks to be called again."""


class Cluster:
    """The local API server, with its administrator's token. Objects are plain dictionaries."""

    def __init__(self, state: State) -> None:
        self.url = state.endpoints["apiServer"]
        self.token = state.admin_token.read_text().strip()
        trust = ssl.create_default_context(cafile=state.certificate)
        self.open = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust)
        ).open

    def get(self, path: str) -> dict[str, Any]:
        """Reads an object. Raises LookupError if there is no such object or kind, RehearsalError
        otherwise.
        """
        return self._send("GET", path, None, {})

    def items(self, path: str) -> list[dict[str, Any]]:
        """Objects of a list; none if the cluster does not know their kind."""
        try:
            return self.get(path).get("items") or []
        except LookupError:
            return []

    def create(self, path: str, thing: Mapping[str, Any]) -> dict[str, Any]:
        """Adds an object to the list at `path`."""
        return self._send("POST", path, thing, {"Content-Type": "application/json"})

    def delete(self, path: str) -> None:
        """Deletes an object. Raises LookupError if there is none."""
        self._send("DELETE", path, None, {})

    def patch(self, path: str, change: Mapping[str, Any]) -> dict[str, Any]:
        """Merges `change` into an object."""
        kind = {"Content-Type": "application/merge-patch+json"}
        return self._send("PATCH", path, change, kind)

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: dict[str, str]
    ) -> dict[str, Any]:
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", **headers},
        )
        patient_until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                return self._answer(request)
            except _Busy:
                if time.monotonic() > patient_until:
                    raise
                time.sleep(0.2)

    def _answer(self, request: urllib.request.Request) -> dict[str, Any]:
        try:
            with self.open(request, timeout=30) as response:
                return cast("dict[str, Any]", json.load(response))
        except urllib.error.HTTPError as error:
            with error:
                body = error.read().decode(errors="replace")
            message = _message(body)
            if error.code == NOT_FOUND:
                raise LookupError(message) from None
            kind = _Busy if error.code == BUSY else RehearsalError
            raise kind(
                f"The API server refuses {request.method} {request.selector}: {message}"
            ) from None
        except (urllib.error.URLError, OSError) as error:
            raise RehearsalError(
                f"The API server at {self.url} does not answer ({error}): "
                f"`./frugal-eks rehearse stop`, then start it again."
            ) from None


def _message(body: str) -> str:
    try:
        return json.loads(body)["message"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return body.strip() or "not found"
