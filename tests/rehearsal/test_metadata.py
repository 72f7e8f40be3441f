"""Played instance metadata are version 2 only, and tell each instance its own."""

import datetime
import http.client
import json
import types
import urllib.parse
from http import HTTPStatus

import pytest

from rehearsal.interruptions.announcements import Kind, notices_of
from rehearsal.nodes import metadata, notices

DATA = "/latest/meta-data"
ENDPOINTS = {"apiServer": "", "aws": "", "region": "eu-west-1", "account": "111122223333"}
NOW = datetime.datetime(2026, 11, 21, 10, 0, tzinfo=datetime.UTC)
INSTANCE = {
    "InstanceType": "m5.large",
    "InstanceLifecycle": "spot",
    "PrivateDnsName": "ip-10-0-0-5.eu-west-1.compute.internal",
    "PrivateIpAddress": "10.0.0.5",
    "Placement": {"AvailabilityZone": "eu-west-1a"},
}


class PlayedAws:
    """One instance, in a group."""

    state = "InService"

    def describe_instances(self, InstanceIds):
        assert InstanceIds == ["i-1"]
        return {"Reservations": [{"Instances": [INSTANCE]}]}

    def describe_auto_scaling_instances(self, InstanceIds):
        assert InstanceIds == ["i-1"]
        return {"AutoScalingInstances": [{"LifecycleState": self.state}]}


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Asks the served metadata: status, body, and the header with a token's seconds."""
    aws = PlayedAws()
    monkeypatch.setattr(metadata, "aws_client", lambda *_: aws)
    state = types.SimpleNamespace(path=tmp_path, endpoints=ENDPOINTS)
    url = urllib.parse.urlparse(metadata.serve(metadata.Metadata(state)))

    def request(method, path, **headers):
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=5)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body, answer.getheader(metadata.TOKEN_SECONDS)

    request.state, request.aws = state, aws
    return request


def token(ask, instance="i-1"):
    path = f"/{instance}{metadata.TOKEN_PATH}"
    status, body, seconds = ask("PUT", path, **{metadata.TOKEN_SECONDS: "3600"})
    assert (status, seconds) == (HTTPStatus.OK, "3600")
    return {metadata.TOKEN: body}


def test_without_the_instances_own_token_nothing_is_told(ask):
    path = f"/i-1{DATA}/instance-id"

    assert ask("GET", path)[0] == HTTPStatus.UNAUTHORIZED
    assert ask("GET", path, **token(ask, "i-2"))[0] == HTTPStatus.UNAUTHORIZED
    assert ask("PUT", f"/i-1{metadata.TOKEN_PATH}")[0] == HTTPStatus.BAD_REQUEST
    assert ask("GET", path, **token(ask))[:2] == (HTTPStatus.OK, "i-1")


def test_an_instance_is_told_what_ec2_knows_of_it(ask):
    given = token(ask)

    def got(path):
        return ask("GET", f"/i-1{path}", **given)[:2]

    assert got(f"{DATA}/instance-life-cycle") == (HTTPStatus.OK, "spot")
    assert got(f"{DATA}/placement/availability-zone") == (HTTPStatus.OK, "eu-west-1a")
    assert got(f"{DATA}/local-hostname") == (HTTPStatus.OK, INSTANCE["PrivateDnsName"])
    assert got(f"{DATA}/public-hostname") == (HTTPStatus.NOT_FOUND, "")
    document = json.loads(got("/latest/dynamic/instance-identity/document")[1])
    assert (document["instanceId"], document["region"]) == ("i-1", "eu-west-1")
    assert got(f"{DATA}/autoscaling/target-lifecycle-state") == (HTTPStatus.OK, "InService")
    ask.aws.state = "Terminating:Wait"
    assert got(f"{DATA}/autoscaling/target-lifecycle-state") == (HTTPStatus.OK, "Terminated")


def test_notices_are_there_once_they_were_given(ask):
    given = token(ask)
    paths = {
        Kind.SPOT: "spot/instance-action",
        Kind.REBALANCE: "events/recommendations/rebalance",
    }
    scheduled = f"/i-1{DATA}/events/maintenance/scheduled"

    assert ask("GET", scheduled, **given)[:2] == (HTTPStatus.OK, "[]")
    for kind, path in paths.items():
        assert ask("GET", f"/i-1{DATA}/{path}", **given)[0] == HTTPStatus.NOT_FOUND
        notices.write(ask.state, "i-1", notices_of(kind, "i-1", NOW))
        assert ask("GET", f"/i-1{DATA}/{path}", **given)[0] == HTTPStatus.OK
    notices.write(ask.state, "i-1", notices_of(Kind.MAINTENANCE, "i-1", NOW))
    (event,) = json.loads(ask("GET", scheduled, **given)[1])
    assert (event["Code"], event["State"]) == ("instance-retirement", "active")
