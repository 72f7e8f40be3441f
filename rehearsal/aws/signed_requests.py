"""What a signed AWS request tells before any service has read it."""

import io
import re
from typing import Any

# AWS4-HMAC-SHA256 Credential=AKIA…/20260930/eu-west-1/eks/aws4_request, …
CREDENTIAL = re.compile(r"Credential=(?P<key>[^/,]+)/\d+/(?P<region>[^/]+)/(?P<service>[^/]+)/")
ANONYMOUS = "AKIAEXAMPLE"

Environ = dict[str, Any]


def service(environ: Environ) -> str:
    """The service's signing name, such as eks or ec2; empty when the request is not signed."""
    found = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return found["service"].lower() if found else ""


def region(environ: Environ) -> str:
    """The region that the request is signed for; empty when it is not signed."""
    found = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return found["region"] if found else ""


def access_key(environ: Environ) -> str:
    """The access key id of the caller."""
    found = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return found["key"] if found else ANONYMOUS


def body(environ: Environ) -> bytes:
    """The whole body. It stays readable for whoever answers the request."""
    if "rehearsal.body" not in environ:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        environ["rehearsal.body"] = environ["wsgi.input"].read(length) if length else b""
        environ["wsgi.input"] = io.BytesIO(environ["rehearsal.body"])
    return environ["rehearsal.body"]
