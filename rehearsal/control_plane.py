"""A Kubernetes control plane on 127.0.0.1: what EKS runs for a cluster, without its nodes."""

import http.client
import secrets
import ssl
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

from rehearsal import credentials
from rehearsal.errors import RehearsalError
from rehearsal.kubeconfig import aws_script, kubeconfig
from rehearsal.ports import free_ports
from rehearsal.processes import Processes
from rehearsal.state import ROOT, State, write_private

STAGES = ROOT / "rehearsal" / "kwok_stages.yaml"
PORTS = ("etcd", "peer", "api", "kwok")
PROCESSES = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
SERVICE_CIDR = "10.100.0.0/16"
"""Service range, one of the two that EKS uses by default."""
NO_CLOUD = (
    "node-ipam-controller",
    "service-lb-controller",
    "cloud-node-lifecycle-controller",
    "node-route-controller",
)
"""Controllers that need a cloud, which this control plane does not have."""
READY_SECONDS = 60.0
"""Seconds until it must be ready: 3 to 4 on 2 idle cores, more on a busy machine."""


@dataclass(frozen=True, kw_only=True)
class ControlPlane:
    """Address of a control plane, and the files for talking to it."""

    url: str
    kubeconfig: Path
    """Kubeconfig with a token, for the rehearsal's own processes; users get state.kubeconfig."""


def prepare(state: State) -> tuple[ControlPlane, Mapping[str, int]]:
    """Chooses ports, and writes certificate, tokens and kubeconfigs. Starts nothing yet."""
    ports: dict[str, int] = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    url = f"https://127.0.0.1:{ports['api']}"
    folder = state.control_plane
    credentials.write_key(folder / "service-accounts.key")
    credentials.write_certificate(state.certificate, folder / "apiserver.key")
    token = secrets.token_hex(32)
    write_private(state.admin_token, token)
    write_private(folder / "tokens.csv", f'{token},rehearsal,rehearsal,"system:masters"\n')
    write_private(folder / "kubeconfig", kubeconfig(url, state.certificate, {"token": token}))
    (folder / "stages.yaml").write_text(stages(yaml.safe_load(STAGES.read_text())))
    user = {"tokenFile": str(state.admin_token)}
    write_private(state.kubeconfig, kubeconfig(url, state.certificate, user))
    write_private(state.aws_command, aws_script(), mode=0o700)
    return ControlPlane(url=url, kubeconfig=folder / "kubeconfig"), ports


def start(
    state: State,
    tools: Mapping[str, Path],
    *,
    beside: Callable[[ControlPlane], None] = lambda _: None,
    authenticator: str | None = None,
) -> ControlPlane:
    """Start all five processes and wait until the API server is ready, about 4 seconds.

    `beside` is called while the API server comes up; `authenticator` is the URL at which the API
    server asks whose a token is. Raises RehearsalError if one of them ends or is not ready in time;
    what was started then is left to the caller to stop.
    """
    processes = Processes(state)
    plane, ports = prepare(state)
    commands = argvs(state, tools, ports)
    if authenticator:
        commands["kube-apiserver"] += _webhook(state, authenticator)
    with ThreadPoolExecutor(1) as thread:
        for name in ("etcd", "kube-apiserver"):
            processes.start(name, commands[name])
        other = thread.submit(beside, plane)
        wait_ready(state, plane)
        # Asked any sooner they would end with an error instead of trying again.
        for name in PROCESSES[2:]:
            processes.start(name, commands[name])
        processes.wait("kube-controller-manager", lambda: _has_default_account(state, plane), 30)
        processes.wait("kwok", lambda: _healthy(ports["kwok"]), 30)
        other.result()
    processes.require_alive(PROCESSES)
    return plane


def wait_ready(state: State, plane: ControlPlane) -> None:
    """Waits for /readyz. Raises RehearsalError if etcd or the API server ends before."""
    processes = Processes(state)

    def ready() -> bool:
        processes.require_alive(["etcd"])
        return _status(state, plane, "/readyz") == http.client.OK

    processes.wait("kube-apiserver", ready, READY_SECONDS)


def argvs(
    state: State, tools: Mapping[str, Path], ports: Mapping[str, int]
) -> dict[str, list[str | Path]]:
    """Command lines of the processes."""
    folder = state.control_plane
    etcd, peer = (f"http://127.0.0.1:{ports[name]}" for name in ("etcd", "peer"))
    login = f"--kubeconfig={folder / 'kubeconfig'}"
    # One of each: an election would only cost 2 seconds.
    alone = ("--leader-elect=false", "--secure-port=0")
    # The client's default of 20 requests a second would slow a scenario down, not the machine.
    quick = ("--kube-api-qps=200", "--kube-api-burst=300")
    flags: dict[str, Sequence[str]] = {
        "etcd": (
            f"--data-dir={folder / 'etcd'}",
            f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            # What a rehearsal stores is gone with it anyway.
            "--unsafe-no-fsync",
            "--log-level=warn",
        ),
        "kube-apiserver": (
            f"--etcd-servers={etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={ports['api']}",
            f"--tls-cert-file={state.certificate}",
            f"--tls-private-key-file={folder / 'apiserver.key'}",
            f"--cert-dir={folder}",
            f"--token-auth-file={folder / 'tokens.csv'}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={folder / 'service-accounts.key'}",
            f"--service-account-key-file={folder / 'service-accounts.key'}",
            f"--service-cluster-ip-range={SERVICE_CIDR}",
            # 127.0.0.1 is no valid endpoint of a Service.
            "--endpoint-reconciler-type=none",
            # kube-proxy and the CNI ask for it, as on EKS.
            "--allow-privileged=true",
            "--profiling=false",
        ),
        "kube-controller-manager": (
            login,
            *alone,
            *quick,
            f"--controllers=*,{','.join('-' + name for name in NO_CLOUD)}",
            f"--service-account-private-key-file={folder / 'service-accounts.key'}",
            f"--root-ca-file={state.certificate}",
            "--profiling=false",
        ),
        "kube-scheduler": (login, *alone, *quick, "--profiling=false"),
        "kwok": (
            login,
            f"--config={folder / 'stages.yaml'}",
            "--manage-all-nodes=false",
            "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
            "--node-lease-duration-seconds=40",
            "--node-port=0",
            f"--server-address=127.0.0.1:{ports['kwok']}",
        ),
    }
    return {name: [tools[name], *flags[name]] for name in PROCESSES}


def _webhook(state: State, authenticator: str) -> list[str]:
    """Flags by which the API server asks the webhook for a token's user, without caching."""
    file = state.control_plane / "authenticator.yaml"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "authenticator", "cluster": {"server": authenticator}}],
        "contexts": [{"name": "webhook", "context": {"cluster": "authenticator"}}],
        "current-context": "webhook",
    }
    write_private(file, yaml.safe_dump(document))
    return [
        f"--authentication-token-webhook-config-file={file}",
        "--authentication-token-webhook-version=v1",
        "--authentication-token-webhook-cache-ttl=0s",
    ]


def stages(specs: Mapping[str, object]) -> str:
    """The kwok Stage objects from their specs by name, a document each."""
    header = {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage"}
    documents = [{**header, "metadata": {"name": name}, "spec": specs[name]} for name in specs]
    # Documents share no anchors, so what the specs share is written out.
    return yaml.dump_all(documents, Dumper=_WithoutAliases, sort_keys=False)


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


def require_reachable(state: State) -> None:
    """Checks that the control plane answers. Raises RehearsalError, naming the process, if not."""
    Processes(state).require_alive(PROCESSES)
    plane = ControlPlane(
        url=state.endpoints["apiServer"], kubeconfig=state.control_plane / "kubeconfig"
    )
    try:
        _status(state, plane, "/livez")
    except OSError as error:
        raise RehearsalError(
            f"the API server at {plane.url} does not answer ({error}): "
            "`./frugal-eks rehearse stop`, then start it again"
        ) from None


def _has_default_account(state: State, plane: ControlPlane) -> bool:
    """True once the namespace has its default service account, without which no pod can be
    created.
    """
    path = "/api/v1/namespaces/default/serviceaccounts/default"
    return _status(state, plane, path) == http.client.OK


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.client.OK
    finally:
        connection.close()


def _status(state: State, plane: ControlPlane, path: str) -> int:
    """Status of a GET as administrator. Raises OSError while nobody answers."""
    trust = ssl.create_default_context(cafile=state.certificate)
    host = plane.url.removeprefix("https://")
    connection = http.client.HTTPSConnection(host, timeout=5, context=trust)
    try:
        login = {"Authorization": f"Bearer {state.admin_token.read_text()}"}
        connection.request("GET", path, headers=login)
        return connection.getresponse().status
    except http.client.HTTPException as error:
        raise ConnectionError(str(error)) from None
    finally:
        connection.close()
