"""What a rehearsal asks of the played AWS beside its APIs: that EC2 takes an instance back."""

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
"""POST a TokenReview: the API server asks whose a token is."""
REBALANCE = f"{PREFIX}rebalance"
"""POST ?instance=i-…: EC2 recommends a rebalance."""
SPOT_INTERRUPTION = f"{PREFIX}spot-interruption"
"""POST ?instance=i-…[&seconds=120]: EC2 ends the instance after so many seconds."""


def answer(
    interruptions: Interruptions,
    environ: Mapping[str, Any],
    start_response: Callable[[str, list[tuple[str, str]]], Any],
) -> Iterable[bytes]:
    """Answer such a request in JSON; the events themselves are sent by who asks, beforehand."""
    try:
        status, told = HTTPStatus.OK, _do(interruptions, environ)
    except AwsError as error:
        status, told = HTTPStatus.NOT_FOUND, {"message": error.message}
    except ValueError as error:
        status, told = HTTPStatus.BAD_REQUEST, {"message": str(error)}
    content = json.dumps(told).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [content]


def _do(interruptions: Interruptions, environ: Mapping[str, Any]) -> dict[str, Any]:
    path, asked = environ["PATH_INFO"], parse_qs(environ.get("QUERY_STRING", ""))
    if environ["REQUEST_METHOD"] != "POST" or path not in {REBALANCE, SPOT_INTERRUPTION}:
        raise ValueError(f"POST {REBALANCE} and POST {SPOT_INTERRUPTION} are what there is")
    if "instance" not in asked:
        raise ValueError("the parameter instance is missing: add ?instance=i-…")
    instance = asked["instance"][0]
    if path == REBALANCE:
        return interruptions.recommend_rebalance(instance)
    given = asked.get("seconds", [str(NOTICE)])[0]
    try:
        seconds = float(given)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ValueError(f"seconds must be a number from 0 (got {given})")
    return interruptions.interrupt(instance, seconds)
