"""EKS's REST calls according to AWS's own model: routes, parameters, checks and answers."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import datetime
import json
import re
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from rehearsal.aws.aws_errors import AwsError

Operation = Any
"""botocore's OperationModel, and below its Shape: both come without types."""
Shape = Any


@cache
def model() -> Any:
    """AWS's description of EKS, as botocore ships it: a ServiceModel."""
    return ServiceModel(Loader().load_service_model("eks", "service-2"))


def operation_of(method: str, raw_path: str) -> tuple[Operation, dict[str, str]]:
    """Operation of a request line, and the decoded labels in its path. Raises AwsError.
    The path must be undecoded: an ARN in it has its slashes encoded.
    """
    parts = raw_path.partition("?")[0].strip("/").split("/")
    for template, operation in _routes().get((method, len(parts)), []):
        labels = _labels(template, parts)
        if labels is not None:
            return operation, labels
    raise AwsError("UnknownOperationException", f"EKS has no operation {method} {raw_path}")


def read(operation: Operation, labels: dict[str, str], query: str, body: bytes) -> dict[str, Any]:
    """The parameters of a call, checked against the model. Raises AwsError."""
    shape = operation.input_shape
    if shape is None:
        return {}
    params = {str(k): v for k, v in (json.loads(body) if body else {}).items() if v is not None}
    query_values = parse_qs(query, keep_blank_values=True)
    for name, member in shape.members.items():
        location = member.serialization.get("location")
        wire_name = member.serialization.get("name", name)
        if location == "uri":
            params[name] = labels[wire_name]
        elif location == "querystring" and wire_name in query_values:
            params[name] = _from_query(member, query_values[wire_name])
    report = ParamValidator().validate(params, shape)
    problems = [report.generate_report()] if report.has_errors() else _violations(params, shape, "")
    if problems:
        raise AwsError("InvalidParameterException", "; ".join(problems).replace("\n", "; "))
    return params


def answer(result: dict[str, Any]) -> bytes:
    """Body of a successful answer; times are seconds since 1970."""
    return json.dumps(result, default=_timestamp).encode()


def status_of(error: AwsError) -> int:
    """The HTTP status that the model gives an error."""
    for shape in model().error_shapes:
        if shape.name == error.code:
            return shape.metadata["error"]["httpStatusCode"]
    return HTTPStatus.BAD_REQUEST


@cache
def _routes() -> dict[tuple[str, int], list[tuple[list[str], Operation]]]:
    routes: dict[tuple[str, int], list[tuple[list[str], Operation]]] = {}
    for name in model().operation_names:
        operation = model().operation_model(name)
        template = operation.http["requestUri"].strip("/").split("/")
        routes.setdefault((operation.http["method"], len(template)), []).append(
            (template, operation)
        )
    return routes


def _labels(template: list[str], parts: list[str]) -> dict[str, str] | None:
    labels: dict[str, str] = {}
    for expected, part in zip(template, parts, strict=True):
        if expected.startswith("{"):
            labels[expected.strip("{}")] = unquote(part)
        elif expected != part:
            return None
    return labels


def _from_query(shape: Shape, values: list[str]) -> Any:
    match shape.type_name:
        case "list":
            return values
        case "integer":
            return int(values[0]) if values[0].lstrip("-").isdigit() else values[0]
        case "boolean":
            return values[0].lower() == "true"
        case _:
            return values[0]


def _violations(value: Any, shape: Shape, path: str) -> list[str]:
    """Violations of enumerations and patterns, which botocore leaves to the service."""
    if shape.type_name == "structure":
        return [
            problem
            for name, member in shape.members.items()
            if name in value
            for problem in _violations(value[name], member, f"{path}.{name}".lstrip("."))
        ]
    if shape.type_name == "list":
        pairs = enumerate(value)
        return [p for i, item in pairs for p in _violations(item, shape.member, f"{path}[{i}]")]
    if shape.type_name == "map":
        pairs = value.items()
        return [p for key, item in pairs for p in _violations(item, shape.value, f"{path}.{key}")]
    return _scalar_violations(value, shape, path)


def _scalar_violations(value: Any, shape: Shape, path: str) -> list[str]:
    allowed = getattr(shape, "enum", None)
    if allowed and value not in allowed:
        return [
            f"Value '{value}' at '{path}' failed to satisfy constraint: Member must satisfy enum "
            f"value set: [{', '.join(allowed)}]"
        ]
    pattern = shape.metadata.get("pattern")
    if pattern and isinstance(value, str) and not re.fullmatch(pattern, value):
        return [
            f"Value '{value}' at '{path}' failed to satisfy constraint: Member must satisfy "
            f"regular expression pattern: {pattern}"
        ]
    return []


def _timestamp(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        return value.timestamp()
    raise TypeError(f"{value!r} is not JSON")
