"""With which rights the real Karpenter runs: its service account's, and its role's."""

from pathlib import Path

from lightkube.core.client import Client
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import PolicyRule, RoleRef, Subject
from lightkube.resources.rbac_authorization_v1 import ClusterRole, ClusterRoleBinding

from rehearsal.kubeconfig import kubeconfig
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AUDIENCE, Granted, PlayedAws, ServiceAccount
from rehearsal.state import State, write_private

FLEET = "rehearsal-simulated-fleet"
OFFLINE = {
    # On Fargate there is no instance metadata; on nodes pods do not get at it (hop limit 1).
    "AWS_EC2_METADATA_DISABLED": "true",
    # What the user has configured must not answer for the pod.
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}


def write(state: State, client: Client, account: ServiceAccount) -> Path:
    """Write tokens and a kubeconfig of the service account; returns the kubeconfig."""
    _let_fleet_make_nodes(client, account)
    folder = _folder(state)
    named = (account.namespace, account.name)
    write_private(folder / "aws-token", cluster.token(client, *named, [AUDIENCE]))
    login = folder / "kubeconfig"
    user = {"token": cluster.token(client, *named)}
    write_private(login, kubeconfig(state.endpoints["apiServer"], state.certificate, user))
    return login


def aws_environment(state: State, aws: PlayedAws, granted: Granted) -> dict[str, str]:
    """What EKS's webhook puts into a container with IRSA, or the agent of Pod Identity answers."""
    region = {"AWS_REGION": aws.region, "AWS_DEFAULT_REGION": aws.region}
    if granted.by_web_identity:
        return region | {
            "AWS_ROLE_ARN": granted.role_arn,
            "AWS_WEB_IDENTITY_TOKEN_FILE": str(_folder(state) / "aws-token"),
            "AWS_STS_REGIONAL_ENDPOINTS": "regional",
        }
    # No agent runs on a simulated node: its answer is given beforehand.
    session = aws.session_of(granted.role_arn)
    return region | {
        "AWS_ACCESS_KEY_ID": session["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": session["SecretAccessKey"],
        "AWS_SESSION_TOKEN": session["SessionToken"],
    }


def _folder(state: State) -> Path:
    folder = state.path / "karpenter"
    folder.mkdir(exist_ok=True)
    return folder


def _let_fleet_make_nodes(client: Client, account: ServiceAccount) -> None:
    """The kwok build makes nodes itself and remembers instances in ConfigMaps.

    On AWS kubelets make the nodes: the chart's own roles rightly do not allow it.
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
