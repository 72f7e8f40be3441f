"""The Kubernetes API of a cluster, for the few requests that no Pulumi resource makes."""

import base64
import http.client
import json
import os
import shlex
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import pulumi

ANSWER_SECONDS = 10.0
TOKEN_SECONDS = 60.0
"""Time limit of the command that prints a token."""
TOKEN_LIFETIME_SECONDS = 600.0
"""Time after which a token is renewed. A token of EKS is valid for 14 minutes."""
UNANSWERED = (OSError, http.client.HTTPException, json.JSONDecodeError)
"""Errors of a request that an API server did not answer."""

Answer = dict[str, Any]


class RefusedError(Exception):
    """The API server refused a request; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class KubernetesApi:
    """The Kubernetes API, used as the kubeconfig's user.

    `kubeconfig` is JSON with one cluster and one user, who logs in by a command, like the
    kubeconfig of eks.Cluster.
    """

    def __init__(self, kubeconfig: str) -> None:
        known = json.loads(kubeconfig)
        cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
        self.server: str = cluster["server"]
        self.login: Mapping[str, Any] = user["exec"]
        self.token: tuple[float, str] | None = None
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        trust = ssl.create_default_context(cadata=authority)
        # Authorities of EKS lack a key identifier, which Python 3.13 asks for unless it is told not
        # to (kubernetes-client/python#2394). Signature, name and dates are still checked.
        trust.verify_flags &= ~ssl.VERIFY_X509_STRICT
        tls = urllib.request.HTTPSHandler(context=trust)
        # It also goes through a proxy of the environment, as kubectl does.
        self.opener = urllib.request.build_opener(tls)

    def ask(self, path: str, body: Answer | None = None) -> Answer:
        """The answer to a GET, or with a body to a POST, on a new connection.

        Raises RefusedError if the server refuses, one of UNANSWERED if there is no answer.
        """
        request = urllib.request.Request(
            f"{self.server}{path}",
            data=json.dumps(body).encode() if body else None,
            headers={
                "Authorization": f"Bearer {self._logged_in()}",
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
        )
        try:
            with self.opener.open(request, timeout=ANSWER_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise RefusedError(error.code, message_of(error.read())) from None

    def _logged_in(self) -> str:
        if not self.token or time.monotonic() >= self.token[0]:
            self.token = time.monotonic() + TOKEN_LIFETIME_SECONDS, _token(self.login)
        return self.token[1]


def message_of(answer: bytes) -> str:
    """The message of an API Status, else the text of the answer."""
    try:
        return json.loads(answer)["message"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return answer.decode(errors="replace").strip()


def _token(login: Mapping[str, Any]) -> str:
    """The token that the kubeconfig's command prints. Raises RunError with the command's error
    output.
    """
    argv = [login["command"], *login["args"]]
    variables = {variable["name"]: variable["value"] for variable in login["env"]}
    shown = shlex.join(argv)
    try:
        ended = subprocess.run(
            argv,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TOKEN_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise pulumi.RunError(
            f"the cluster's kubeconfig runs `{shown}`, but there is no {argv[0]} on PATH: install "
            "the AWS CLI (README.md says which versions)"
        ) from None
    except subprocess.TimeoutExpired:
        raise pulumi.RunError(
            f"`{shown}` has not ended within {TOKEN_SECONDS:.0f} s: run it by hand; it may wait "
            "for a login or for an address that cannot be reached"
        ) from None
    if ended.returncode:
        raise pulumi.RunError(
            f"`{shown}` gives no token for the Kubernetes API: {ended.stderr.strip()} (run it by "
            "hand until it prints one; aws:profile and aws:assumeRoles say whose it is)"
        )
    return json.loads(ended.stdout)["status"]["token"]
