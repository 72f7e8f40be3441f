"""The first request to a cluster's API: with scripted answers, and at a server of the test's."""

import asyncio
import base64
import http.server
import os
import ssl
import threading

import pulumi
import pytest

from components.kubernetes import api as kubernetes_api
from components.kubernetes.first_request import (
    AS_ADMINISTRATOR,
    CONNECT,
    ApiServer,
    Patience,
    Refusal,
    answered,
)
from components.kubernetes.kubeconfig import kubeconfig
from rehearsal.credentials import write_certificate

QUICK = Patience(seconds=60, pause=0, told_every=0)
REFUSED = Refusal("it does not know who deploys (401 Unauthorized)", "wait")


class Scripted:
    """Answers one after the other, the last one for ever."""

    def __init__(self, *answers):
        self.answers, self.paths = [*answers], []

    def get(self, path):
        self.paths.append(path)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def told(monkeypatch):
    """The lines of the log."""
    lines = []
    monkeypatch.setattr(pulumi.log, "info", lambda text, _: lines.append(text))
    return lines


def wait(api, patience=QUICK):
    async def run():
        CONNECT.set(lambda _: api)
        return await answered("text", "/api", owner=None, patience=patience)

    return asyncio.run(run())


def test_an_api_that_answers_is_asked_once_and_nothing_is_told(told):
    api = Scripted(None)

    assert wait(api) == "text"
    assert (api.paths, told) == (["/api"], [])


@pytest.mark.behaviour("access-policy-takes-effect-late")
def test_after_a_refusal_three_answers_in_a_row_are_wanted(told):
    api = Scripted(REFUSED, None, None, REFUSED, None)

    assert wait(api) == "text"
    assert len(api.paths) == len("r..r...")
    line = (
        f"the Kubernetes API is not usable yet, since {REFUSED.problem}; "
        "waiting up to 1 minutes, 0 s so far"
    )
    assert told == [line, line]


def test_the_log_is_not_told_each_time(told):
    wait(Scripted(REFUSED, REFUSED, REFUSED, None), Patience(seconds=60, pause=0))

    assert len(told) == 1


def test_at_the_bound_the_last_refusal_and_its_remedy_are_told():
    with pytest.raises(pulumi.RunError) as refused:
        wait(Scripted(REFUSED), Patience(seconds=0, pause=0))

    assert str(refused.value) == (
        f"the Kubernetes API has not answered for 0 minutes; at last {REFUSED.problem}: wait"
    )


def test_the_event_loop_goes_on_while_an_answer_is_awaited():
    asked, answer = threading.Event(), threading.Event()

    class Slow:
        def get(self, _):
            asked.set()
            assert answer.wait(20)

    async def beside():
        while not asked.is_set():
            await asyncio.sleep(0)
        answer.set()

    async def run():
        CONNECT.set(lambda _: Slow())
        text, _ = await asyncio.gather(answered("text", "/api", owner=None), beside())
        return text

    assert asyncio.run(run()) == "text"


@pytest.fixture
def server(tmp_path, monkeypatch):
    """An API server with a certificate of its own, and a command `aws` that gives its token."""
    statuses, tokens = [200], []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            tokens.append((self.path, self.headers["Authorization"]))
            self.send_response(statuses[0])
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            pass

    write_certificate(tmp_path / "server.crt", tmp_path / "server.key")
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(tmp_path / "server.crt", tmp_path / "server.key")
    made.socket = trust.wrap_socket(made.socket, server_side=True)
    thread = threading.Thread(target=made.serve_forever, args=(0.05,))
    thread.start()

    def aws(script):
        (tmp_path / "aws").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "aws").chmod(0o755)

    aws("""echo '{"status": {"token": "'$1-$3-$4'"}}'""")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def connect(endpoint=f"https://127.0.0.1:{made.server_port}", certificate=None):
        authority = certificate or (tmp_path / "server.crt").read_bytes()
        text = kubeconfig(
            name="it",
            region="eu-west-1",
            endpoint=endpoint,
            ca_data=base64.b64encode(authority).decode(),
        )
        return ApiServer(text)

    connect.statuses, connect.tokens, connect.aws = statuses, tokens, aws
    yield connect
    made.shutdown()
    thread.join()
    made.server_close()


def test_the_api_is_asked_with_the_token_of_the_kubeconfig_s_command(server):
    api = server()

    assert [api.get(AS_ADMINISTRATOR), api.get("/api")] == [None, None]
    bearer = "Bearer --region-eks-get-token"
    assert server.tokens == [(AS_ADMINISTRATOR, bearer), ("/api", bearer)]


@pytest.mark.parametrize(
    ("status", "problem", "remedy"),
    [
        (401, "it does not know who deploys (401 Unauthorized)", "this machine's clock right?"),
        (403, f"it lets who deploys not read {AS_ADMINISTRATOR} (403 Forbidden)", "ClusterAdmin"),
        (503, "it answers 503 Service Unavailable", "NO_PROXY"),
    ],
)
def test_a_refusal_says_what_the_api_answered(server, status, problem, remedy):
    server.statuses[:] = [status]

    refusal = server().get(AS_ADMINISTRATOR)

    assert refusal.problem == problem
    assert remedy in refusal.remedy


@pytest.mark.parametrize(
    ("endpoint", "problem", "remedy"),
    [
        ("https://nothing.invalid", "its name does not resolve (", "nslookup nothing.invalid"),
        ("https://127.0.0.1:9", "no connection comes about (", "publicCidrs"),
    ],
)
def test_what_cannot_be_reached_says_how_it_failed(server, endpoint, problem, remedy):
    refusal = server(endpoint).get("/api")

    assert refusal.problem.startswith(problem)
    assert remedy in refusal.remedy


def test_a_server_with_another_certificate_is_not_believed(server, tmp_path):
    write_certificate(tmp_path / "other.crt", tmp_path / "other.key")

    refusal = server(certificate=(tmp_path / "other.crt").read_bytes()).get("/api")

    assert refusal.problem.startswith("its certificate is not the cluster's (")
    assert server.tokens == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'The config profile (ops) could not be found' >&2; exit 255", "(ops) could not"),
        ("exec sleep 60", "has not ended within 0 s: run it by hand"),
    ],
)
def test_a_command_that_gives_no_token_ends_the_waiting_at_once(server, monkeypatch, script, told):
    monkeypatch.setattr(kubernetes_api, "TOKEN_SECONDS", 0.3)
    server.aws(script)

    with pytest.raises(pulumi.RunError) as refused:
        server().get("/api")

    assert str(refused.value).startswith("`aws --region eu-west-1 eks get-token --cluster-name it")
    assert told in str(refused.value)


def test_a_missing_aws_cli_is_told(server, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(pulumi.RunError, match="there is no aws on PATH: install the AWS CLI"):
        server().get("/api")
