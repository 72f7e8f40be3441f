"""What a policy pack says, in the engine's stream of events."""

import json

import pytest

from rehearsal.engine_events import Message, Record

URN = "urn:pulumi:dev::ours::aws:eks/cluster:Cluster::api"


@pytest.mark.parametrize(
    ("level", "severity"), [("mandatory", "error"), ("advisory", "warning"), ("none", "warning")]
)
def test_what_fails_the_operation_is_an_error(level, severity):
    event = {
        "resourceUrn": URN,
        "message": "<{%reset%}>Why.\nWhat is wrong.<{%reset%}>\n",
        "policyName": "open-cluster-api",
        "enforcementLevel": level,
    }
    record = Record(previews_only=True)

    told = Message(severity, URN, "open-cluster-api: Why.\nWhat is wrong.")
    assert record.read(json.dumps({"policyEvent": event})) == told
    # The update after a preview says it again.
    assert record.read(json.dumps({"policyEvent": event})) is None
    assert record.messages == [told]
