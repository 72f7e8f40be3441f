"""Paths of the played AWS beside its APIs, such as ending an instance as EC2 would."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.scaling.interruptions import NOTICE, Interruptions

PREFIX = "/_rehearsal/"
AUTHENTICATE = f"{PREFIX}authenticate"
"""POST a TokenReview, by which the API server asks whose a token is."""
REBALANCE = f"{PREFIX}rebalance"
"""POST ?instance=i-…, after which EC2 recommends a rebalance."""
SPOT_INTERRUPTION = f"{PREFIX}spot-interruption"
"""POST ?instance=i-…[&seconds=120], after which EC2 ends the instance after so many seconds."""


def answer(
    interruptions: Interruptions,
    environ: Mapping[str, Any],
    start_response: Callable[[str, list[tuple[str, str]]], Any],
) -> Iterable[bytes]:
    """Answers such a request in JSON. The caller sends the events itself, beforehand."""
    try:
        status, content_object = HTTPStatus.OK, _do(interruptions, environ)
    except AwsError as error:
        status, content_object = HTTPStatus.NOT_FOUND, {"message": error.message}
    except ValueError as error:
        status, content_object = HTTPStatus.BAD_REQUEST, {"message": str(error)}
    content = json.dumps(content_object).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [content]


def _do(interruptions: Interruptions, environ: Mapping[str, Any]) -> dict[str, Any]:
    path, query = environ["PATH_INFO"], parse_qs(environ.get("QUERY_STRING", ""))
    if environ["REQUEST_METHOD"] != "POST" or path not in {REBALANCE, SPOT_INTERRUPTION}:
        raise ValueError(f"POST {REBALANCE} and POST {SPOT_INTERRUPTION} are what there is")
    if "instance" not in query:
        raise ValueError("the parameter instance is missing: add ?instance=i-…")
    instance = query["instance"][0]
    if path == REBALANCE:
        return interruptions.recommend_rebalance(instance)
    given = query.get("seconds", [str(NOTICE)])[0]
    try:
        seconds = float(given)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ValueError(f"seconds must be a number from 0 (got {given})")
    return interruptions.interrupt(instance, seconds)
