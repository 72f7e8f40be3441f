"""Reads what a signed AWS request tells before a service handles it."""

import io
import re
from typing import Any

# AWS4-HMAC-SHA256 Credential=AKIA…/20260930/eu-west-1/eks/aws4_request, …
CREDENTIAL = re.compile(r"Credential=(?P<key>[^/,]+)/\d+/(?P<region>[^/]+)/(?P<service>[^/]+)/")
ANONYMOUS = "AKIAEXAMPLE"

Environ = dict[str, Any]


def service(environ: Environ) -> str:
    """Signing name of the service, such as eks or ec2; empty if the request is not signed."""
    match = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return match["service"].lower() if match else ""


def region(environ: Environ) -> str:
    """Region that the request is signed for; empty if it is not signed."""
    match = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return match["region"] if match else ""


def access_key(environ: Environ) -> str:
    """Access key id of the caller."""
    match = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return match["key"] if match else ANONYMOUS


def body(environ: Environ) -> bytes:
    """The whole body, which stays readable for the part that answers the request."""
    if "rehearsal.body" not in environ:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        environ["rehearsal.body"] = environ["wsgi.input"].read(length) if length else b""
        environ["wsgi.input"] = io.BytesIO(environ["rehearsal.body"])
    return environ["rehearsal.body"]
