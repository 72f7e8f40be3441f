"""A cluster that somebody else looks after: looked up, and nothing of it is changed."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s
from pydantic import Field

import compatibility
from components.location import Location
from components.pod_role import RunsOn
from components.section import Section

Answer = TypeVar("Answer")
POD_IDENTITY_AGENT = "eks-pod-identity-agent"
READY = ("ACTIVE", "UPDATING")
"""States in which a cluster answers."""


class ExistingClusterConfig(Section):
    """Its name. Version, network and access are what it has."""

    existing: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$")
    """The cluster's name, in the stack's account and region."""
    runs_on: RunsOn = RunsOn.NODES
    """Where pods of kube-system run there, which decides how they get AWS rights."""


@dataclass(frozen=True, kw_only=True)
class ExistingClusterArgs:
    """Which cluster, and what is to run on it."""

    config: ExistingClusterConfig
    """The stack file's part."""
    location: Location
    """Where the stack is deployed."""
    karpenter: str | None = None
    """The version of Karpenter that is to run there."""


class ExistingCluster(pulumi.ComponentResource):
    """What others need of it. Asked of AWS while the program runs, so all of it is known in the
    first preview. Raises RunError, which Pulumi prints without a traceback, with the remedy where
    the cluster is not there, or lacks what pods or nodes of this program need.
    """

    name: pulumi.Output[str]
    """As EKS tells it."""
    arn: pulumi.Output[str]
    """Of the cluster."""
    endpoint: pulumi.Output[str]
    """The address of the Kubernetes API."""
    certificate_authority: pulumi.Output[str]
    """Of the endpoint, in base64."""
    service_cidr: pulumi.Output[str]
    """From where Services get their addresses."""
    oidc_provider_arn: pulumi.Output[str]
    """The OIDC provider in IAM, which IRSA trusts; empty where pods run on nodes, and get their
    rights by Pod Identity."""
    security_group_id: pulumi.Output[str]
    """The group that EKS made for control plane, Fargate pods and nodes."""
    provider: k8s.Provider
    """Talks to the cluster, as whoever deploys."""
    update_kubeconfig: pulumi.Output[str]
    """The command that lets kubectl talk to it."""
    vpc_id: pulumi.Output[str]
    """The VPC of the control plane."""
    subnet_ids: Sequence[str]
    """Those of the control plane."""
    version: str
    """Its Kubernetes minor."""

    def __init__(
        self, name: str, args: ExistingClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ExistingCluster", name, None, opts)
        cluster, region = args.config.existing, args.location.region
        found = _asked(
            lambda: aws.eks.get_cluster(name=cluster, opts=pulumi.InvokeOptions(parent=self)),
            f"cluster.existing: AWS does not tell of a cluster {cluster} in {region}: "
            f"`aws eks list-clusters --region {region}` names those that are there",
        )
        told = list(problems(found, region=region, karpenter=args.karpenter))
        if told:
            raise pulumi.RunError("\n".join(told))

        self.version = found.version
        self.name = pulumi.Output.from_input(found.name)
        self.arn = pulumi.Output.from_input(found.arn)
        self.endpoint = pulumi.Output.from_input(found.endpoint)
        self.certificate_authority = pulumi.Output.from_input(found.certificate_authorities[0].data)
        self.service_cidr = pulumi.Output.from_input(
            found.kubernetes_network_configs[0].service_ipv4_cidr
        )
        self.vpc_id = pulumi.Output.from_input(found.vpc_config.vpc_id)
        self.subnet_ids = found.vpc_config.subnet_ids
        self.security_group_id = pulumi.Output.from_input(
            found.vpc_config.cluster_security_group_id
        )
        self.oidc_provider_arn = pulumi.Output.from_input(self._rights_of_pods(args, found))
        self.provider = k8s.Provider(
            f"{name}-kubernetes",
            kubeconfig=json.dumps(
                kubeconfig(
                    name=found.name,
                    region=region,
                    endpoint=found.endpoint,
                    ca_data=found.certificate_authorities[0].data,
                )
            ),
            cluster_identifier=found.arn,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.update_kubeconfig = pulumi.Output.from_input(
            f"aws eks update-kubeconfig --region {region} --name {cluster}"
        )
        self.register_outputs(
            {
                "name": self.name,
                "arn": self.arn,
                "endpoint": self.endpoint,
                "oidcProviderArn": self.oidc_provider_arn,
                "securityGroupId": self.security_group_id,
                "version": self.version,
            }
        )

    def _rights_of_pods(
        self, args: ExistingClusterArgs, found: aws.eks.AwaitableGetClusterResult
    ) -> str:
        """The OIDC provider's ARN for pods on Fargate; for those on nodes the agent is there."""
        asked = pulumi.InvokeOptions(parent=self)
        region = args.location.region
        match args.config.runs_on:
            case RunsOn.FARGATE:
                issuer = found.identities[0].oidcs[0].issuer
                return _asked(
                    lambda: aws.iam.get_open_id_connect_provider(url=issuer, opts=asked).arn,
                    f"cluster.existing: IAM has no OIDC provider for {issuer}, by which pods on "
                    "Fargate get their AWS rights: `aws iam create-open-id-connect-provider "
                    f"--url {issuer} --client-id-list sts.amazonaws.com` makes it",
                )
            case RunsOn.NODES:
                _asked(
                    lambda: aws.eks.get_addon(
                        cluster_name=found.name, addon_name=POD_IDENTITY_AGENT, opts=asked
                    ),
                    f"cluster.existing: the cluster {found.name} has no add-on "
                    f"{POD_IDENTITY_AGENT}, by which pods on nodes get their AWS rights: `aws eks "
                    f"create-addon --region {region} --cluster-name {found.name} --addon-name "
                    f"{POD_IDENTITY_AGENT}` installs it",
                )
                return ""


def problems(
    cluster: aws.eks.AwaitableGetClusterResult, *, region: str, karpenter: str | None
) -> Iterator[str]:
    """Why nothing of this program would work there, and what to do."""
    whose = f"the cluster {cluster.name}"
    if cluster.status not in READY:
        yield f"cluster.existing: {whose} is {cluster.status}: wait until it is ACTIVE"
    # Nodes and the bastion's role are let in by access entries.
    modes = [access.authentication_mode for access in cluster.access_configs]
    if "CONFIG_MAP" in modes:
        yield (
            f"cluster.existing: {whose} knows no access entries (authentication mode CONFIG_MAP), "
            "by which nodes join: `aws eks update-cluster-config "
            f"--region {region} --name {cluster.name} --access-config "
            "authenticationMode=API_AND_CONFIG_MAP` adds them and keeps the ConfigMap"
        )
    if karpenter:
        problem = compatibility.karpenter_problem(karpenter, cluster.version, whose)
        if problem:
            yield f"karpenter.version: {problem} (got {karpenter})"


def kubeconfig(*, name: str, region: str, endpoint: str, ca_data: str) -> dict[str, Any]:
    """Kubernetes client configuration in which the AWS CLI fetches a token for each use."""
    version = "client.authentication.k8s.io/v1beta1"
    command = {
        "apiVersion": version,
        "command": "aws",
        "args": [
            *("--region", region),
            *("eks", "get-token", "--cluster-name", name, "--output", "json"),
        ],
        "env": [{"name": "KUBERNETES_EXEC_INFO", "value": json.dumps({"apiVersion": version})}],
    }
    server = {"server": endpoint, "certificate-authority-data": ca_data}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"cluster": server, "name": "kubernetes"}],
        "contexts": [{"context": {"cluster": "kubernetes", "user": "aws"}, "name": "aws"}],
        "current-context": "aws",
        "users": [{"name": "aws", "user": {"exec": command}}],
    }


def _asked(question: Callable[[], Answer], remedy: str) -> Answer:
    """AWS's answer. Raises RunError with the remedy, and with what AWS said, where it has none."""
    try:
        return question()
    # Pulumi raises Exception itself when a look-up fails.
    except Exception as error:
        raise pulumi.RunError(f"{remedy} ({error})") from error
