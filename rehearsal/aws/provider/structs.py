"""Converts the engine's protobuf structs to and from plain Python data."""

from collections.abc import Collection
from typing import Any

from google.protobuf import json_format, struct_pb2

from rehearsal.aws.provider.plain import is_list, is_object
from rehearsal.aws.resource_types.entry import Values

# Pulumi's protocol: a secret is an object with this key and value beside its "value".
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"


def to_python(struct: struct_pb2.Struct) -> Values:
    """A protobuf struct as plain data: secrets opened, whole numbers as int."""
    return _plain(json_format.MessageToDict(struct))


def to_struct(values: Values, secret: Collection[str] = ()) -> struct_pb2.Struct:
    """Plain data as a protobuf struct; the properties in `secret` are encrypted by the engine."""
    hidden = {key: _wrap(values[key]) for key in secret if values.get(key) is not None}
    struct = struct_pb2.Struct()
    struct.update(values | hidden)
    return struct


def secrets_in(*structs: struct_pb2.Struct) -> set[str]:
    """Names of the properties that hold a secret, and of the outputs that repeat them."""
    names = {
        name
        for struct in structs
        for name, value in json_format.MessageToDict(struct).items()
        if _is_secret(value)
    }
    return names | ({"tagsAll"} if "tags" in names else set())


def _wrap(value: Any) -> Values:
    return {SIGNATURE: SECRET, "value": value}


def _is_secret(value: Any) -> bool:
    if is_object(value):
        return value.get(SIGNATURE) == SECRET or any(map(_is_secret, value.values()))
    return is_list(value) and any(map(_is_secret, value))


def _plain(value: Any) -> Any:
    if is_object(value):
        if value.get(SIGNATURE) == SECRET:
            return _plain(value.get("value"))
        return {key: _plain(item) for key, item in value.items()}
    if is_list(value):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
