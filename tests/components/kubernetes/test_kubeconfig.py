"""The kubeconfig of both kinds of cluster."""

import json

import pytest

from components.kubernetes.kubeconfig import AMBIENT, TokenIdentity, kubeconfig, update_command

ROLE = "arn:aws:iam::111122223333:role/platform-admin"
CLUSTER = {"name": "it", "region": "eu-west-1", "endpoint": "https://it", "ca_data": "Q0E="}


def test_the_names_inside_lead_from_one_to_the_next():
    read = json.loads(kubeconfig(**CLUSTER))

    (context,) = [c["context"] for c in read["contexts"] if c["name"] == read["current-context"]]
    assert context["cluster"] in {cluster["name"] for cluster in read["clusters"]}
    assert context["user"] in {user["name"] for user in read["users"]}
    (env,) = read["users"][0]["user"]["exec"]["env"]
    assert json.loads(env["value"]) == {"apiVersion": "client.authentication.k8s.io/v1beta1"}


@pytest.mark.behaviour("k8s-provider-replaced-by-kubeconfig-text")
def test_without_options_the_text_is_the_one_of_pulumi_eks():
    # As generateKubeconfig of pulumi-eks 4.4.0 puts it together, and JSON.stringify writes it.
    assert kubeconfig(**CLUSTER) == (
        '{"apiVersion":"v1","clusters":[{"cluster":{"server":"https://it",'
        '"certificate-authority-data":"Q0E="},"name":"kubernetes"}],"contexts":[{"context":'
        '{"cluster":"kubernetes","user":"aws"},"name":"aws"}],"current-context":"aws",'
        '"kind":"Config","users":[{"name":"aws","user":{"exec":{"apiVersion":'
        '"client.authentication.k8s.io/v1beta1","command":"aws","args":["--region","eu-west-1",'
        '"eks","get-token","--cluster-name","it","--output","json"],"env":[{"name":'
        '"KUBERNETES_EXEC_INFO","value":"{\\"apiVersion\\": '
        '\\"client.authentication.k8s.io/v1beta1\\"}"}]}}}]}'
    )


@pytest.mark.parametrize(
    ("identity", "options"),
    [
        (AMBIENT, ""),
        (TokenIdentity(profile="ops"), " --profile ops"),
        (TokenIdentity(role_arn=ROLE), f" --role-arn {ROLE}"),
        (TokenIdentity(profile="ops", role_arn=ROLE), f" --role-arn {ROLE} --profile ops"),
    ],
)
def test_token_and_kubectl_are_of_one_identity(identity, options):
    (user,) = json.loads(kubeconfig(**CLUSTER, identity=identity))["users"]

    assert " ".join(user["user"]["exec"]["args"]) == (
        f"--region eu-west-1 eks get-token --cluster-name it --output json{options}"
    )
    assert update_command(name="it", region="eu-west-1", identity=identity) == (
        f"aws eks update-kubeconfig --region eu-west-1 --name it{options}"
    )
