"""Gives the real Karpenter the rights of its service account and of its role."""

from pathlib import Path

from lightkube.core.client import Client
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import PolicyRule, RoleRef, Subject
from lightkube.resources.rbac_authorization_v1 import ClusterRole, ClusterRoleBinding

from rehearsal.kubeconfig import kubeconfig
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AUDIENCE, ServiceAccount
from rehearsal.state import State, write_private

FLEET = "rehearsal-simulated-fleet"


def write(state: State, client: Client, account: ServiceAccount) -> Path:
    """Writes tokens and a kubeconfig of the service account; returns the kubeconfig."""
    _let_fleet_make_nodes(client, account)
    named = (account.namespace, account.name)
    write_private(aws_token(state), cluster.token(client, *named, [AUDIENCE]))
    login = aws_token(state).with_name("kubeconfig")
    user = {"token": cluster.token(client, *named)}
    write_private(login, kubeconfig(state.endpoints["apiServer"], state.certificate, user))
    return login


def aws_token(state: State) -> Path:
    """File with Karpenter's token for STS."""
    folder = state.path / "karpenter"
    folder.mkdir(exist_ok=True)
    return folder / "aws-token"


def _let_fleet_make_nodes(client: Client, account: ServiceAccount) -> None:
    """Grants the kwok build the right to create nodes and ConfigMaps, in which it remembers
    instances. On AWS kubelets create the nodes: the chart's own roles rightly do not allow it.
    """
    verbs = ["get", "list", "watch", "create", "update", "patch", "delete"]
    rule = PolicyRule(apiGroups=[""], resources=["nodes", "configmaps"], verbs=verbs)
    client.apply(ClusterRole(metadata=ObjectMeta(name=FLEET), rules=[rule]))
    client.apply(
        ClusterRoleBinding(
            metadata=ObjectMeta(name=FLEET),
            roleRef=RoleRef(apiGroup="rbac.authorization.k8s.io", kind="ClusterRole", name=FLEET),
            subjects=[
                Subject(kind="ServiceAccount", name=account.name, namespace=account.namespace)
            ],
        )
    )
