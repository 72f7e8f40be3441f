"""The webhooks of EKS, asked by trial pods: a local API server with a certificate of its own."""

import asyncio
import base64
import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from components.kubernetes.admission import (
    CREDENTIALS,
    FARGATE_SCHEDULER,
    PROFILE_LABEL,
    Admission,
    Pods,
)
from rehearsal.credentials import write_certificate

LABELS = {"app.kubernetes.io/name": "karpenter", "tier": "control"}
ON_FARGATE = Pods(namespace="karpenter", labels=LABELS, profile="fargate-karpenter-1")
ON_NODES = Pods(namespace="kube-system", labels=LABELS, service_account="external-dns")


class Api:
    """Answers, and remembers who asked for what."""

    def __init__(self):
        self.asked = []
        self.pods = []
        self.unready = 0
        self.refusal = None

    def answer(self, method, path, body):
        self.asked.append((method, path, body))
        if method == "GET":
            return 200, {"items": self.pods}
        if path.endswith("/eviction"):
            return 201, {}
        if self.refusal:
            return self.refusal
        if self.unready:
            self.unready -= 1
            return 201, body
        return 201, admitted(body)

    def probes(self):
        return [body for _, path, body in self.asked if path.endswith("/pods?dryRun=All")]

    def evicted(self):
        return [path for method, path, _ in self.asked if path.endswith("/eviction")]


def admitted(body):
    """As both webhooks change a pod."""
    variable = {"name": CREDENTIALS, "value": "http://169.254.170.23/v1/credentials"}
    containers = [{**each, "env": [variable]} for each in body["spec"]["containers"]]
    spec = {**body["spec"], "containers": containers, "schedulerName": FARGATE_SCHEDULER}
    return {**body, "spec": spec}


@pytest.fixture
def api(tmp_path):
    known = Api()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.handle_one("GET")

        def do_POST(self):
            self.handle_one("POST")

        def handle_one(self, method):
            assert self.headers["Authorization"] == "Bearer of-the-command"
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, answer = known.answer(method, self.path, body)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    certificate, key = tmp_path / "server.crt", tmp_path / "server.key"
    write_certificate(certificate, key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    authority = base64.b64encode(certificate.read_bytes()).decode()
    token = "import json, os; print(json.dumps({'status': {'token': os.environ['TOKEN']}}))"
    login = {
        "command": sys.executable,
        "args": ["-c", token],
        "env": [{"name": "TOKEN", "value": "of-the-command"}],
    }
    url = f"https://127.0.0.1:{server.server_port}"
    known.kubeconfig = json.dumps(
        {
            "clusters": [{"cluster": {"server": url, "certificate-authority-data": authority}}],
            "users": [{"user": {"exec": login}}],
        }
    )
    yield known
    server.shutdown()
    thread.join()
    server.server_close()


def run(api, pods, *, patience=60.0, hook="before_create"):
    async def play():
        admission = Admission(api.kubeconfig, patience=patience, pause=0.0)
        (called,) = getattr(admission.hooks(pods), hook)
        await called(None)

    asyncio.run(play())


def pod(name="p", *, scheduler="default-scheduler", **fields):
    metadata = {"name": name, "labels": dict(LABELS)}
    spec = {"schedulerName": scheduler, "containers": [{"name": "main"}]}
    return {"metadata": metadata | fields.pop("metadata", {}), "spec": spec | fields}


@pytest.mark.parametrize("hook", ["before_create", "before_update"])
@pytest.mark.parametrize("pods", [ON_FARGATE, ON_NODES])
def test_a_release_waits_until_its_pods_would_be_admitted_well(api, pods, hook):
    api.unready = 3

    run(api, pods, hook=hook)

    # Three in vain, then as many in a row as it takes to have asked each control plane node.
    assert len(api.probes()) == 3 + 4
    assert api.evicted() == []


def test_the_trial_pod_is_like_the_real_ones(api):
    run(api, ON_FARGATE)
    run(api, ON_NODES)

    fargate, nodes = api.probes()[0], api.probes()[-1]
    assert fargate["metadata"]["labels"] == {**LABELS, PROFILE_LABEL: "fargate-karpenter-1"}
    assert nodes["metadata"]["labels"] == LABELS
    assert nodes["spec"]["serviceAccountName"] == "external-dns"
    assert [path for _, path, _ in api.asked if "dryRun" not in path] == [
        "/api/v1/namespaces/karpenter/pods"
        "?labelSelector=app.kubernetes.io/name%3Dkarpenter,tier%3Dcontrol",
        "/api/v1/namespaces/kube-system/pods"
        "?labelSelector=app.kubernetes.io/name%3Dkarpenter,tier%3Dcontrol",
    ]


def test_webhooks_that_never_learn_of_a_profile_stop_the_release_with_the_remedy(api):
    api.unready = 1000

    with pytest.raises(TimeoutError) as caught:
        run(api, ON_FARGATE, patience=0.0)

    assert str(caught.value) == (
        "for 0 s EKS has not given Fargate's scheduler (profile fargate-karpenter-1) to a pod of "
        f"namespace karpenter with the labels {LABELS}: pods that were made now would never run. "
        "Look whether the profile or the association is there, then run `pulumi up` again"
    )


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, 'pods "admission-probe-" is forbidden: error looking up service account a/b'),
        (422, "a policy of the cluster wants another image"),
    ],
)
def test_where_no_pod_can_be_tried_out_the_release_goes_on(api, status, message):
    api.refusal = status, {"message": message}

    run(api, ON_NODES)

    assert len(api.probes()) == 1


def test_an_api_server_that_is_too_busy_is_asked_again(api):
    api.refusal = 503, {"message": "apiserver not ready"}

    with pytest.raises(TimeoutError, match="has not given an answer"):
        run(api, ON_FARGATE, patience=0.0)


LEAVING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
OLD = {"labels": {**LABELS, PROFILE_LABEL: "fargate-karpenter-0"}}
VARIABLES = [{"name": "main", "env": [{"name": CREDENTIALS, "value": "http://169.254.170.23"}]}]
MINE = {"serviceAccountName": "external-dns"}


@pytest.mark.parametrize(
    ("pods", "found", "goes"),
    [
        (ON_FARGATE, pod(), True),
        (ON_FARGATE, pod(scheduler=FARGATE_SCHEDULER), False),
        (ON_FARGATE, pod(scheduler=FARGATE_SCHEDULER, metadata=OLD), True),
        (ON_FARGATE, pod(scheduler=FARGATE_SCHEDULER, metadata=OLD, nodeName="fargate-1"), False),
        (ON_FARGATE, pod(nodeName="node-1"), False),
        (ON_FARGATE, pod(metadata=LEAVING), False),
        (ON_NODES, pod(**MINE, nodeName="node-1"), True),
        (ON_NODES, pod(**MINE, containers=VARIABLES), False),
        (ON_NODES, pod(serviceAccountName="somebody-else"), False),
        (ON_NODES, pod(**MINE, metadata=LEAVING), False),
    ],
)
@pytest.mark.parametrize("hook", ["before_update", "after_create", "after_update"])
def test_pods_that_were_admitted_too_early_are_made_anew_and_no_others(
    api, pods, found, goes, hook
):
    api.pods = [found]

    run(api, pods, hook=hook)

    path = f"/api/v1/namespaces/{pods.namespace}/pods/p/eviction"
    assert api.evicted() == ([path] if goes else [])


def test_pods_that_no_webhook_matters_to_have_no_hooks():
    async def play():
        return Admission("{}").hooks(Pods(namespace="kube-system", labels=LABELS))

    assert asyncio.run(play()) is None


HOOKS = ("before_create", "before_update", "after_create", "after_update")


def hooked(built, kind):
    """By resource of this type, whether its pods are asked for."""
    return {
        each.request.name: [bool(getattr(each.request.hooks, name)) for name in HOOKS] == [True] * 4
        for each in built.every(kind)
    }


@pytest.mark.behaviour("fargate-webhook-race-default-scheduler")
def test_whatever_brings_pods_to_fargate_waits_for_the_webhook(platform):
    built = platform()

    releases = hooked(built, "kubernetes:helm.sh/v3:Release")
    assert releases.pop("karpenter-crd") is False
    assert releases == dict.fromkeys(releases, True)
    assert {"karpenter", "external-dns", "metrics-server", "kube-ops-view"} <= releases.keys()
    addons = hooked(built, "aws:eks/addon:Addon")
    assert {name for name, asks in addons.items() if asks} == {"coredns"}


@pytest.mark.behaviour("pod-identity-association-late")
def test_on_nodes_what_has_an_association_waits_for_the_webhook(platform, stack_file):
    release = stack_file("spot")["frugal-eks:managedNodeGroups"]["base"]["releaseVersion"]
    base = {"instanceTypes": ["m6i.large"], "size": {"min": 2, "max": 3}, "releaseVersion": release}
    addons = stack_file("nodeless")["frugal-eks:addons"] | {"ebsCsi": {}}
    built = platform(
        {"fargate": None, "managedNodeGroups": {"base": base}, "addons": addons},
    )

    releases = hooked(built, "kubernetes:helm.sh/v3:Release")
    with_rights = ("karpenter", "aws-load-balancer-controller", "external-dns", "efs-csi")
    assert {name: releases[name] for name in with_rights} == dict.fromkeys(with_rights, True)
    assert releases["metrics-server"] is False
    assert hooked(built, "aws:eks/addon:Addon")["ebs-csi"] is True
    associations = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
    # Where the chart or EKS makes the account, its age is all that there is to go by.
    dated = {
        each.inputs["serviceAccount"]
        for each in built.every(associations)
        if each.request.hooks.after_create
    }
    assert dated == {"karpenter", "ebs-csi-controller-sa"}
