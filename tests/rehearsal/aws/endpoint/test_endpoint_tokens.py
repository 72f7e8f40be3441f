"""Whose a token of `aws eks get-token` is, and from when on the API server knows it."""

import argparse
import base64
import datetime
import json
import socket
import threading
import time
import urllib.request

import pytest

from rehearsal import aws_cli
from rehearsal.aws.control_paths import AUTHENTICATE
from rehearsal.aws.eks_service import tokens
from rehearsal.aws.eks_service.front import Front
from tests.rehearsal.aws.endpoint.test_endpoint_access import ADMIN, associate, create

VIEW = ADMIN.replace("ClusterAdmin", "View")
LONG_AGO = datetime.timedelta(minutes=1)


@pytest.fixture
def reviewed(aws, served, monkeypatch):
    """What the API server is told of a token of a role's session."""

    def review(role, **options):
        keys = aws.client("sts").assume_role(RoleArn=role, RoleSessionName="ann")["Credentials"]
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["AccessKeyId"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["SecretAccessKey"])
        monkeypatch.setenv("AWS_SESSION_TOKEN", keys["SessionToken"])
        monkeypatch.setenv("AWS_ENDPOINT_URL", served[0])
        return asked(served[0], token(**options))

    return review


def token(**options):
    given = {"cluster_name": "demo", "region": "eu-west-1", "profile": None, "role_arn": None}
    credential = aws_cli.get_token(argparse.Namespace(**given | options))
    return json.loads(credential)["status"]["token"]


def asked(url, text):
    kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview"}
    body = json.dumps({**kind, "spec": {"token": text}}).encode()
    request = urllib.request.Request(f"{url}{AUTHENTICATE}", data=body)
    with urllib.request.urlopen(request, timeout=10) as response:
        answer = json.load(response)
    assert {key: answer[key] for key in kind} == kind
    return answer["status"]


def backdate(aws, role, by=LONG_AGO):
    """As if the entry and its policies were older."""
    cluster = aws.eks_state.clusters["demo"]
    cluster.access_entries[role]["createdAt"] -= by
    for policy in cluster.access_policies.get(role, {}).values():
        policy["associatedAt"] -= by


@pytest.mark.behaviour("access-policy-missing-without-error")
def test_only_a_principal_with_an_entry_is_known_and_only_one_with_the_policy_may(aws, reviewed):
    aws.create_cluster()
    role, stranger = aws.role("ec2.amazonaws.com"), aws.role("ec2.amazonaws.com")
    create(aws, role, kubernetesGroups=["ops"])
    backdate(aws, role)

    name = role.rpartition("/")[2]
    known = reviewed(role)
    assert known["authenticated"] is True
    assert known["user"]["username"].startswith(f"arn:aws:sts::123456789012:assumed-role/{name}/")
    assert known["user"]["groups"] == ["ops"]
    assert reviewed(stranger) == {"authenticated": False}
    assert reviewed(stranger, role_arn=role)["authenticated"] is True

    associate(aws, role, policy=VIEW)
    backdate(aws, role)
    assert reviewed(role)["user"]["groups"] == ["ops"]
    associate(aws, role)
    backdate(aws, role)
    assert reviewed(role)["user"]["groups"] == ["ops", "system:masters"]


@pytest.mark.behaviour("access-policy-takes-effect-late")
def test_an_entry_and_a_policy_are_known_late_and_to_one_api_server_before_the_other(
    aws, reviewed, monkeypatch
):
    monkeypatch.setattr(tokens, "KNOWN_AFTER", datetime.timedelta(minutes=30))
    monkeypatch.setattr(tokens, "ALL_KNOW_AFTER", datetime.timedelta(minutes=60))
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")
    create(aws, role)
    associate(aws, role)

    assert reviewed(role) == {"authenticated": False}
    backdate(aws, role, datetime.timedelta(minutes=45))
    answers = [reviewed(role)["authenticated"] for _ in range(4)]
    assert sorted(answers) == [False, False, True, True]
    assert answers[0] != answers[1]
    backdate(aws, role, datetime.timedelta(minutes=45))
    assert all(reviewed(role)["user"]["groups"] for _ in range(4))


@pytest.mark.behaviour("clock-skew")
@pytest.mark.parametrize("minutes", [-16, 6])
def test_a_token_of_a_machine_whose_clock_is_off_is_nobodys(aws, reviewed, served, minutes):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")
    create(aws, role)
    backdate(aws, role)
    assert reviewed(role)["authenticated"] is True

    text = token().removeprefix("k8s-aws-v1.")
    url = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    today = datetime.datetime.now(datetime.UTC)
    other = (today + datetime.timedelta(minutes=minutes)).strftime("X-Amz-Date=%Y%m%dT%H%M%SZ")
    at = url.index("X-Amz-Date=")
    changed = url[:at] + other + url[at + len(other) :]
    encoded = base64.urlsafe_b64encode(changed.encode()).decode()

    assert asked(served[0], f"k8s-aws-v1.{encoded}") == {"authenticated": False}


@pytest.mark.parametrize("text", ["", "token", "k8s-aws-v1.", "k8s-aws-v1.aHR0cHM6Ly9zdHMv"])
@pytest.mark.usefixtures("bare_aws")
def test_what_is_no_presigned_question_to_sts_is_nobodys(served, text):
    assert asked(served[0], text) == {"authenticated": False}


def test_without_a_cluster_a_recorded_state_can_be_previewed(bare_aws, reviewed):
    role = bare_aws.role("ec2.amazonaws.com")

    assert reviewed(role)["user"]["groups"] == ["system:masters"]


def test_a_profile_that_is_not_there_is_told_as_the_cli_tells_it(monkeypatch, capsys):
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")

    code = aws_cli.main(["eks", "get-token", "--cluster-name", "demo", "--profile", "nobody"])

    assert (code, capsys.readouterr()) == (
        255,
        ("", "\nThe config profile (nobody) could not be found\n"),
    )


@pytest.fixture
def echo():
    """A server that answers each line in capitals, as an API server behind the front."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.sendall(client.recv(100).upper())

        threading.Thread(target=serve, daemon=True).start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def answer_at(url):
    host, _, port = url.removeprefix("https://").partition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(b"ready?")
            return connection.recv(100)
    except ConnectionResetError:
        return None


@pytest.mark.behaviour("cluster-active-before-endpoint-usable")
def test_the_endpoint_answers_some_time_after_active_and_no_longer_than_the_cluster(aws, echo):
    front = Front(echo, usable_after=0.3)
    try:
        front.follow(aws.eks_state)
        assert answer_at(front.url) is None

        aws.create_cluster()
        front.follow(aws.eks_state)
        assert answer_at(front.url) is None
        deadline = time.monotonic() + 20
        while not front.usable and time.monotonic() < deadline:
            time.sleep(0.05)
        assert answer_at(front.url) == b"READY?"

        aws.eks.delete_cluster(name="demo")
        aws.eks_state.settle()
        front.follow(aws.eks_state)
        assert answer_at(front.url) is None
    finally:
        front.close()
