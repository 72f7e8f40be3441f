"""How the engine sees a resource: names, defaults, previews, differences, secrets."""

import subprocess
import sys
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import status_pb2
from pulumi.runtime.rpc import UNKNOWN

from rehearsal.aws.provider import configuration
from rehearsal.aws.provider.account import ConfigurationError
from rehearsal.aws.provider.structs import SECRET, SIGNATURE, to_python, to_struct

VPC = "aws:ec2/vpc:Vpc"
QUEUE = "aws:sqs/queue:Queue"
ROLE = "aws:iam/role:Role"
TRUST = '{"Version": "2012-10-17", "Statement": []}'


def test_a_name_is_made_from_the_resource_and_the_seed_and_stays(engine: Any):
    first = engine.check(QUEUE, "jobs", {})
    again = engine.check(QUEUE, "jobs", {})
    later = engine.check(QUEUE, "jobs", {}, olds=first | {"name": "jobs-0123456"})

    assert first["name"].startswith("jobs-")
    assert len(first["name"]) == len("jobs-") + 7
    assert first["name"] == again["name"]
    assert "name" in first["__defaults"]
    assert later["name"] == "jobs-0123456"


def test_a_name_that_the_program_no_longer_gives_is_made_anew(engine: Any):
    named = engine.check(QUEUE, "jobs", {"name": "mine"})

    assert engine.check(QUEUE, "jobs", {}, olds=named)["name"] != "mine"


def test_a_fixed_name_makes_a_replacement_wait_until_the_old_one_is_gone(engine: Any):
    path = {"assumeRolePolicy": TRUST, "path": "/a/"}
    made = engine.create(ROLE, "fixed", {"name": "fixed", "assumeRolePolicy": TRUST})
    auto = engine.create(ROLE, "auto", {"assumeRolePolicy": TRUST})

    fixed = engine.diff(made, path | {"name": "fixed"})
    assert list(fixed.replaces) == ["path"]
    assert fixed.deleteBeforeReplace
    assert not engine.diff(auto, path).deleteBeforeReplace
    for role in (made, auto):
        engine.delete(role)


def test_defaults_are_those_of_the_real_provider(engine: Any):
    inputs = engine.check(QUEUE, "jobs", {})

    defaults = {"visibilityTimeoutSeconds": 30, "messageRetentionSeconds": 345_600}
    assert defaults.items() <= inputs.items()
    assert defaults.keys() <= set(inputs["__defaults"])


def test_default_tags_are_on_everything_and_own_tags_win(engine: Any):
    engine = type(engine)(defaultTags='{"tags": {"team": "a", "cost": "b"}}')
    made = engine.create(VPC, "tagged", {"cidrBlock": "10.0.0.0/16", "tags": {"cost": "own"}})

    assert made.state["tags"] == made.state["tagsAll"] == {"team": "a", "cost": "own"}
    assert not engine.diff(made, {"cidrBlock": "10.0.0.0/16", "tags": {"cost": "own"}}).diffs
    engine.delete(made)


def test_the_preview_of_a_create_knows_the_inputs_and_not_what_aws_computes(engine: Any):
    planned = engine.preview_create(VPC, "soon", {"cidrBlock": "10.0.0.0/16"})

    assert planned["cidrBlock"] == "10.0.0.0/16"
    assert planned["region"] == "eu-west-1"
    assert planned["arn"] == UNKNOWN
    assert planned["enableDnsHostnames"] == UNKNOWN


def test_the_preview_of_an_update_keeps_what_stays_the_same(engine: Any):
    made = engine.create(VPC, "kept", {"cidrBlock": "10.0.0.0/16"})

    planned = engine.update(made, {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}, preview=True)

    assert planned.state["arn"] == made.state["arn"]
    assert planned.state["tagsAll"] == {"a": "b"}
    assert engine.refresh(made).state["tags"] == {}
    engine.delete(made)


def test_a_replacing_change_is_shown_as_one(engine: Any):
    made = engine.create(VPC, "moved", {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}})

    change = engine.diff(made, {"cidrBlock": "10.1.0.0/16", "tags": {"a": "c"}})

    assert list(change.replaces) == ["cidrBlock"]
    assert change.detailedDiff["cidrBlock"].kind == pb.PropertyDiff.UPDATE_REPLACE
    assert change.detailedDiff["tags.a"].kind == pb.PropertyDiff.UPDATE
    engine.delete(made)


def test_an_ignored_change_is_no_change(engine: Any):
    made = engine.create(VPC, "ignored", {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}})

    tags = {"cidrBlock": "10.0.0.0/16", "tags": {"a": "c"}}

    assert engine.diff(made, tags).diffs
    assert not engine.diff(made, tags, ignored=("tags.a",)).diffs
    engine.delete(made)


def test_what_somebody_else_changed_is_found_by_a_refresh_and_put_right(engine: Any):
    props = {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}
    made = engine.create(VPC, "drifted", props)
    tag = {"resourceId": made.id, "key": "stray", "value": "1"}
    engine.create("aws:ec2/tag:Tag", "stray", tag)

    seen = engine.refresh(made)
    assert seen.state["tags"] == {"a": "b", "stray": "1"}
    assert dict(engine.diff(seen, props).detailedDiff).keys() == {"tags.stray"}
    mended = engine.update(seen, props)
    assert engine.refresh(mended).state["tags"] == {"a": "b"}
    engine.delete(mended)


def test_a_policy_that_is_only_spelled_differently_is_no_change(engine: Any):
    made = engine.create(ROLE, "spelled", {"assumeRolePolicy": TRUST})

    other = '{"Statement":[],"Version":"2012-10-17"}'

    assert not engine.diff(made, {"assumeRolePolicy": other}).diffs
    engine.delete(made)


def test_a_resource_can_be_read_by_its_id_alone(engine: Any):
    made = engine.create(VPC, "found", {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}})

    read = engine.refresh(type(made)(made.urn, made.id, {}))

    assert read.inputs["cidrBlock"] == "10.0.0.0/16"
    assert read.inputs["tags"] == {"a": "b"}
    assert engine.refresh(type(made)(made.urn, "vpc-00000000", {})) is None
    engine.delete(made)


def test_a_secret_stays_secret_in_inputs_and_outputs(engine: Any):
    secret = {SIGNATURE: SECRET, "value": "shh"}
    news = {"name": "whispers", "tags": {"word": secret}}

    made = engine.create(QUEUE, "whispers", news)
    request = pb.CreateRequest(urn=made.urn, properties=to_struct(news), preview=True)
    planned = engine.provider.Create(request, None).properties

    for name in ("tags", "tagsAll"):
        assert dict(planned[name])[SIGNATURE] == SECRET
    assert to_python(planned)["tags"] == made.state["tags"] == {"word": "shh"}
    engine.delete(made)


def test_a_resource_that_was_made_but_is_not_ready_stays_in_the_state(engine: Any):
    vpc = engine.create(VPC, "half", {"cidrBlock": "10.0.0.0/16"})
    # EC2 makes the group and then refuses its rule.
    rule = {"protocol": "tcp", "fromPort": 1, "toPort": 1, "cidrBlocks": ["10.0.0.0/99"]}
    token = "aws:ec2/securityGroup:SecurityGroup"
    inputs = engine.check(token, "half", {"vpcId": vpc.id, "ingress": [rule]})
    request = pb.CreateRequest(
        urn=f"urn:pulumi:dev::p::{token}::half", properties=to_struct(inputs)
    )
    context = engine.Context()

    with pytest.raises(engine.Refusal, match=r"SecurityGroup 'half': Invalid"):
        engine.provider.Create(request, context)

    status = status_pb2.Status.FromString(dict(context.trailing)["grpc-status-details-bin"])
    half_made = pb.ErrorResourceInitFailed()
    assert status.details[0].Unpack(half_made)
    assert half_made.id.startswith("sg-")
    assert to_python(half_made.properties)["vpcId"] == vpc.id
    assert len(half_made.reasons) == 1
    group = engine.Resource(request.urn, half_made.id, inputs, to_python(half_made.properties))
    engine.delete(group)
    engine.delete(vpc)


def test_the_region_has_to_be_known(monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)

    assert [name for name, _ in configuration.problems({})] == ["region"]
    assert list(configuration.problems({"region": "eu-west-1", "profile": "me"})) == []


def test_a_setting_that_is_not_played_is_refused():
    found = list(configuration.problems({"region": "eu-west-1", "ignoreTags": "{}"}))

    assert found == [
        ("ignoreTags", "the stand-in AWS provider does not play the setting aws:ignoreTags")
    ]


@pytest.mark.parametrize("url", ["", "https://eks.eu-west-1.amazonaws.com", "http://10.0.0.1:80"])
def test_it_never_talks_to_the_real_aws(monkeypatch: pytest.MonkeyPatch, url: str):
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)

    with pytest.raises(ConfigurationError, match="talks only to a played AWS on this machine"):
        configuration.account({"region": "eu-west-1"})


@pytest.mark.usefixtures("played_aws")
def test_an_account_that_is_not_allowed_is_refused():
    config = {"region": "eu-west-1", "allowedAccountIds": '["999999999999"]'}

    with pytest.raises(ConfigurationError, match="AWS account ID not allowed"):
        configuration.account(config)


def test_data_sources_answer_from_the_played_account(engine: Any):
    vpc = engine.create(VPC, "asked", {"cidrBlock": "10.77.0.0/16", "tags": {"Name": "asked"}})
    subnet = engine.create(
        "aws:ec2/subnet:Subnet", "asked", {"vpcId": vpc.id, "cidrBlock": "10.77.0.0/24"}
    )

    zones = engine.invoke("aws:index/getAvailabilityZones:getAvailabilityZones", {})
    filters = [{"name": "vpc-id", "values": [vpc.id]}]
    found = engine.invoke("aws:ec2/getSubnets:getSubnets", {"filters": filters})
    version = engine.invoke(
        "aws:eks/getAddonVersion:getAddonVersion",
        {"addonName": "kube-proxy", "kubernetesVersion": "1.35"},
    )
    assert zones["names"] == ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
    assert found["ids"] == [subnet.id]
    assert version["version"] == "v1.35.3-eksbuild.2"
    assert engine.invoke("aws:ec2/getVpc:getVpc", {"tags": {"Name": "asked"}})["id"] == vpc.id
    assert engine.invoke("aws:ec2/getSubnet:getSubnet", {"id": subnet.id})["vpcId"] == vpc.id
    assert engine.invoke("aws:index/getPartition:getPartition", {})["partition"] == "aws"
    assert engine.invoke("aws:index/getRegion:getRegion", {})["name"] == "eu-west-1"
    identity = engine.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})
    assert vpc.state["ownerId"] == identity["accountId"]
    engine.delete(subnet)
    engine.delete(vpc)


@pytest.mark.parametrize("module", ["rehearsal.aws.provider", "rehearsal.eks.provider"])
def test_the_plugin_prints_its_port_and_nothing_else(module: str):
    command = [sys.executable, "-m", module, "127.0.0.1:1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as plugin:
        assert plugin.stdout
        port = plugin.stdout.readline()
        plugin.terminate()
        rest = plugin.stdout.read()

    assert port.strip().isdigit()
    assert rest == ""
