"""What must not stand in a comment does not, marked as a secret or not."""

import base64
import json

import pytest

from frugal_eks.plans.review import comment
from tests.frugal_eks.plans.review.made import preview, step

VALUE = "hunter2"
WRAPPED = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": VALUE}
SCRIPT = base64.b64encode(
    f"#!/bin/bash\nexport DB_PASSWORD='{VALUE}'\ncurl --token={VALUE} example.com\n".encode()
).decode()


def changed(resource_type, old, new):
    return comment(preview(step("update", resource_type, old=old, new=new)))


@pytest.mark.parametrize(
    "inputs",
    [
        {"masterPassword": VALUE},
        {"config": {"api_key": VALUE}},
        {"env": [{"name": "DB_PASSWORD", "value": VALUE}]},
        {"value": WRAPPED},
        {"values": json.dumps({"auth": {"secretKey": VALUE}})},
        {"userData": SCRIPT},
        {"text": f"-----BEGIN RSA PRIVATE KEY-----\n{VALUE}\n-----END RSA PRIVATE KEY-----"},
    ],
)
def test_it_is_hidden(inputs):
    old = json.loads(json.dumps(inputs).replace("a", "a"))

    for told in (changed("acme:index:Thing", {}, inputs), changed("acme:index:Thing", old, {})):
        assert VALUE not in told
        assert "[secret]" in told


@pytest.mark.parametrize(
    ("resource_type", "key", "value"),
    [
        ("kubernetes:core/v1:Secret", "data", {"user": VALUE}),
        ("kubernetes:core/v1:Secret", "stringData", {"user": VALUE}),
        ("aws:secretsmanager/secretVersion:SecretVersion", "secretString", VALUE),
        ("aws:ssm/parameter:Parameter", "value", VALUE),
    ],
)
def test_so_is_all_that_a_secret_holds(resource_type, key, value):
    told = changed(resource_type, {}, {key: value})

    assert VALUE not in told
    assert f'+ {key}: "[secret]"' in told


@pytest.mark.parametrize(
    "inputs",
    [
        {"metadataOptions": {"httpTokens": "required"}},
        {"secretName": "tls"},
        {"resource": "arn:aws:secretsmanager:eu-west-1:111122223333:secret:name"},
        {"type": "String", "value": "plain"},
    ],
)
def test_what_only_looks_like_one_is_shown(inputs):
    told = changed("aws:ssm/parameter:Parameter", {}, inputs)

    assert "[secret]" not in told


def test_a_secret_that_changes_says_so():
    change = step(
        "update",
        "acme:index:Thing",
        old={"password": "[secret]", "size": 1},
        new={"password": "[secret]", "size": 2},
        detailedDiff={"password": {"kind": "update"}, "size": {"kind": "update"}},
    )

    told = comment(preview(change))

    assert '! password: "[secret]" (differs, though it looks the same)' in told
    assert "- size: 1\n+ size: 2" in told


def test_a_secret_that_stays_is_no_change():
    same = {"password": "[secret]"}
    change = step(
        "update",
        "acme:index:Thing",
        old=same | {"size": 1},
        new=same | {"size": 2},
        detailedDiff={"size": {"kind": "update"}},
    )

    assert "password" not in comment(preview(change))
