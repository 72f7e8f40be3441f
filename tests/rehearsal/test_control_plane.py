import http.client
import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest
import yaml
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.client import Client
from lightkube.models.core_v1 import Container, NodeSpec, NodeStatus, PodSpec, Taint
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Namespace, Node, Pod

from rehearsal import control_plane, toolchain
from rehearsal.errors import RehearsalError
from rehearsal.processes import Processes
from rehearsal.state import State

pytestmark = pytest.mark.engine

FAKE = {"kwok.x-k8s.io/node": "fake"}
SECONDS = 20


@pytest.fixture(scope="module")
def tools():
    return toolchain.ensure(toolchain.CLUSTER)


@pytest.fixture(scope="module")
def state(tmp_path_factory, tools):
    made = State(tmp_path_factory.mktemp("a folder with 'quotes'") / "state")
    made.create()
    try:
        control_plane.start(made, tools)
        yield made
    finally:
        Processes(made).stop()


@pytest.fixture(scope="module")
def client(state):
    with Client(config=KubeConfig.from_file(state.kubeconfig).get(), trust_env=False) as made:
        capacity = {"cpu": "4", "memory": "8Gi", "pods": "20"}
        node = Node(
            metadata=ObjectMeta(
                name="node", annotations=FAKE, labels={"kubernetes.io/arch": "arm64"}
            ),
            spec=NodeSpec(taints=[Taint(key="test", effect="NoSchedule")]),
            status=NodeStatus(capacity=capacity, allocatable=capacity),
        )
        made.create(node)
        yield made


@pytest.fixture
def pod(client):
    """Make a pod on the simulated node, and give it back once `until` says so of it."""

    def make(name, until, **metadata):
        spec = PodSpec(containers=[Container(name="main", image="image")], nodeName="node")
        client.create(
            Pod(metadata=ObjectMeta(name=name, namespace="default", **metadata), spec=spec)
        )
        return seen(client, name, until)

    return make


def seen(client, name, until):
    deadline = time.monotonic() + SECONDS
    while not until(found := client.get(Pod, name, namespace="default")):
        assert time.monotonic() < deadline, found.status
        time.sleep(0.05)
    return found


def ready(pod):
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions or [])


def waiting(pod):
    statuses = pod.status.containerStatuses or []
    return [one.state.waiting.message for one in statuses if one.state and one.state.waiting]


def test_the_users_kubeconfig_holds_no_token_and_works(state, client):
    text = state.kubeconfig.read_text()
    user = yaml.safe_load(text)["users"][0]["user"]

    assert state.admin_token.read_text() not in text
    assert user == {"tokenFile": str(state.admin_token)}
    assert {one.metadata.name for one in client.list(Namespace)} >= {"default", "kube-system"}


def test_the_token_command_answers_nothing_else(state):
    told = subprocess.run(
        [state.aws_command, "s3", "ls"], capture_output=True, text=True, check=False
    )

    assert told.returncode != 0
    assert told.stdout == ""
    assert "answers only 'aws eks get-token" in told.stderr


def test_a_token_that_nobody_vouches_for_is_refused(tmp_path, tools):
    """The API server asks the webhook, which is not there."""
    state = State(tmp_path / "state")
    state.create()
    try:
        plane = control_plane.start(state, tools, authenticator="http://127.0.0.1:9/authenticate")
        request = urllib.request.Request(
            f"{plane.url}/api", headers={"Authorization": "Bearer of nobody"}
        )
        trust = ssl.create_default_context(cafile=state.certificate)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, context=trust, timeout=60)
        refused.value.close()
    finally:
        Processes(state).stop()

    assert refused.value.code == http.client.UNAUTHORIZED


def test_everything_listens_on_this_machine_only(state):
    records = {record.pid: record.name for record in Processes(state).all()}
    told = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        pytest.skip("ss is not installed")
    addresses = [
        line.split()[3]
        for line in told.stdout.splitlines()
        if any(f"pid={pid}," in line for pid in records)
    ]

    assert addresses
    assert [one for one in addresses if not one.startswith("127.0.0.1:")] == []


def test_a_pod_on_a_simulated_node_comes_up(pod):
    found = pod("plain", ready)

    assert found.status.phase == "Running"
    assert found.status.podIP


def test_a_pod_that_is_said_to_crash_is_not_ready_until_that_goes(client, pod):
    why = "no \"credentials\": 'none'"
    found = pod("broken", waiting, annotations={"rehearsal.frugal-eks/not-ready": why})

    assert waiting(found) == [why]
    assert not ready(found)
    unset = {"metadata": {"annotations": {"rehearsal.frugal-eks/not-ready": None}}}
    client.patch(Pod, "broken", unset, namespace="default")
    assert seen(client, "broken", ready)


def test_a_pod_of_karpenter_waits_for_the_real_controller(client, pod):
    found = pod("controller", lambda _: True, labels={"app.kubernetes.io/name": "karpenter"})
    time.sleep(1)

    assert not ready(client.get(Pod, "controller", namespace="default"))
    healthy = {"metadata": {"annotations": {"rehearsal.frugal-eks/healthy": "true"}}}
    client.patch(Pod, found.metadata.name, healthy, namespace="default")
    assert seen(client, "controller", ready)


def test_a_deleted_pod_is_gone_at_once(client, pod):
    pod("short", ready)
    client.delete(Pod, "short", namespace="default")

    deadline = time.monotonic() + SECONDS
    while "short" in [one.metadata.name for one in client.list(Pod, namespace="default")]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_node_says_what_its_labels_say(client):
    info = client.get(Node, "node").status.nodeInfo

    assert (info.architecture, info.operatingSystem) == ("arm64", "linux")


def test_a_port_that_is_taken_is_told(tmp_path, tools, monkeypatch):
    state = State(tmp_path / "state")
    state.create()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(control_plane, "free_ports", lambda count: [port] * count)
        try:
            with pytest.raises(RehearsalError, match=r"(?s)ended .*address already in use"):
                control_plane.start(state, tools)
        finally:
            Processes(state).stop()


def test_a_killed_api_server_is_told_by_its_name(tmp_path, tools):
    state = State(tmp_path / "state")
    state.create()
    try:
        plane = control_plane.start(state, tools)
        state.remember(
            {"apiServer": plane.url, "aws": "", "region": "eu-west-1", "account": "111122223333"}
        )
        control_plane.require_reachable(state)
        record = Processes(state).find("kube-apiserver")
        os.kill(record.pid, signal.SIGKILL)
        deadline = time.monotonic() + SECONDS
        while record.alive and time.monotonic() < deadline:
            time.sleep(0.01)

        with pytest.raises(RehearsalError) as error:
            control_plane.require_reachable(state)
    finally:
        Processes(state).stop()

    sentence = str(error.value).splitlines()[0]
    assert "kube-apiserver" in sentence
    assert "was ended by SIGKILL" in sentence
    assert "`./frugal-eks rehearse stop`, then start it again" in sentence
    assert [record for record in Processes(state).all() if record.alive] == []
