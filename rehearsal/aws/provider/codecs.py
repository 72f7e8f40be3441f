"""Codecs for values that AWS represents differently from the Pulumi SDK."""

import json
import urllib.parse
from typing import Any

from rehearsal.aws.provider.plain import as_list, as_object, is_list, is_object
from rehearsal.aws.resource_types.entry import Codec


def document(value: Any) -> Any:
    """A JSON text as data; AWS returns it URL-encoded or parsed as well."""
    if not isinstance(value, str):
        return value
    text = urllib.parse.unquote(value) if value.lstrip().startswith("%7B") else value
    try:
        return json.loads(text)
    except ValueError:
        return value


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str) or value is None else json.dumps(value)


def _policy(value: Any) -> Any:
    """Normal form of a policy in which "x" and ["x"] are equal, since AWS may store either."""
    data = document(value)
    if is_object(data):
        return {key: _policy(item) for key, item in data.items()}
    if is_list(data):
        items = sorted(
            (_policy(item) for item in data), key=lambda i: json.dumps(i, sort_keys=True)
        )
        return items[0] if len(items) == 1 else items
    return data


JSON = Codec(
    to_api=_as_text,
    from_api=lambda value: _as_text(document(value)) or None,
    same=lambda a, b: document(a) == document(b),
)
POLICY = Codec(JSON.to_api, JSON.from_api, same=lambda a, b: _policy(a) == _policy(b))

WITHOUT_SCHEME = Codec(
    to_api=lambda url: url,
    from_api=lambda url: url,
    same=lambda a, b: a.removeprefix("https://") == b.removeprefix("https://"),
)
ONE_IN_A_LIST = Codec(
    to_api=lambda item: [item], from_api=lambda items: items[0] if items else None, inside=True
)
INTEGER_TEXT = Codec(to_api=lambda n: str(int(n)), from_api=int)
BOOLEAN_TEXT = Codec(
    to_api=lambda flag: "true" if flag else "false", from_api=lambda text: str(text) == "true"
)


def _pairs(key: str, value: str) -> Codec:
    def from_api(pairs: Any) -> dict[str, str]:
        return own_tags({pair[key]: pair.get(value, "") for pair in as_list(pairs)})

    return Codec(lambda tags: [{key: k, value: v} for k, v in tags.items()], from_api)


def own_tags(tags: dict[str, str] | None) -> dict[str, str]:
    """Tags without those that AWS sets itself, which no program may set."""
    return {key: value for key, value in as_object(tags).items() if not key.startswith("aws:")}


TAG_MAP = Codec(to_api=dict, from_api=own_tags)
TAG_PAIRS = _pairs("Key", "Value")
KMS_TAG_PAIRS = _pairs("TagKey", "TagValue")
