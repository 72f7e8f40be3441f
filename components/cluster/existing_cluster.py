"""A cluster that somebody else looks after: looked up, and nothing of it is changed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from .. import compatibility
from ..cluster_ref import ClusterRef
from ..kubernetes.admission import Admission
from ..kubernetes.charts import ChartSource
from ..kubernetes.first_request import AS_ANYBODY_KNOWN, usable
from ..kubernetes.kubeconfig import AMBIENT, TokenIdentity, kubeconfig, update_command
from ..location import Location
from ..placement import RunsOn
from .existing_cluster_config import ExistingClusterConfig

Answer = TypeVar("Answer")
POD_IDENTITY_AGENT = "eks-pod-identity-agent"
READY = ("ACTIVE", "UPDATING")
"""States in which a cluster answers."""


@dataclass(frozen=True, kw_only=True)
class ExistingClusterArgs:
    """Which cluster, and what is to run on it."""

    config: ExistingClusterConfig
    """The stack file's part."""
    location: Location | None = None
    """Where the stack is deployed. Absent: the region of the program's AWS provider, and the
    account of its credentials."""
    karpenter: str | None = None
    """The version of Karpenter that is to run there."""
    identity: TokenIdentity = AMBIENT
    """Whose token the Kubernetes API gets: the same principal as the AWS provider's."""
    charts: ChartSource = field(default_factory=ChartSource)
    """The source of charts and images: upstream, or mirrors."""
    isolated: bool = False
    """Whether pods there have no way to the internet."""


class ExistingCluster(pulumi.ComponentResource):
    """What others need of it. Asked of AWS while the program runs, so all of it is known in the
    first preview. Raises RunError, which Pulumi prints without a traceback, with the remedy where
    the cluster is not there, or lacks what pods or nodes of this program need.
    """

    ref: ClusterRef
    """The reference that every component on the cluster takes. The reference's provider has the
    rights of whoever deploys, and an update makes it when the API has answered."""
    arn: pulumi.Output[str]
    """The ARN of the cluster."""
    update_kubeconfig: pulumi.Output[str]
    """The command that lets kubectl talk to it."""
    vpc_id: pulumi.Output[str]
    """The VPC of the control plane."""
    subnet_ids: Sequence[str]
    """The ids of the control plane's subnets."""

    def __init__(
        self, name: str, args: ExistingClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ExistingCluster", name, None, opts)
        location = args.location or _current(self)
        cluster, region = args.config.existing, location.region
        facts = _answer_to(
            lambda: aws.eks.get_cluster(name=cluster, opts=pulumi.InvokeOptions(parent=self)),
            f"cluster.existing: AWS does not tell of a cluster {cluster} in {region}: "
            f"`aws eks list-clusters --region {region}` names those that are there",
        )
        obstacles = list(problems(facts, region=region, karpenter=args.karpenter))
        if obstacles:
            raise pulumi.RunError("\n".join(obstacles))

        self.arn = pulumi.Output.from_input(facts.arn)
        self.vpc_id = pulumi.Output.from_input(facts.vpc_config.vpc_id)
        self.subnet_ids = facts.vpc_config.subnet_ids
        certificate_authority = facts.certificate_authorities[0].data
        written = kubeconfig(
            name=facts.name,
            region=region,
            endpoint=facts.endpoint,
            ca_data=certificate_authority,
            identity=args.identity,
        )
        # Its maker says what who deploys may do: being known is enough here.
        usable_kubeconfig = usable(pulumi.Output.from_input(written), AS_ANYBODY_KNOWN, owner=self)
        provider = k8s.Provider(
            f"{name}-kubernetes",
            kubeconfig=usable_kubeconfig,
            cluster_identifier=facts.arn,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.ref = ClusterRef(
            name=facts.name,
            live_name=facts.name,
            version=facts.version,
            location=location,
            endpoint=facts.endpoint,
            certificate_authority=certificate_authority,
            service_cidr=facts.kubernetes_network_configs[0].service_ipv4_cidr,
            oidc_provider_arn=self._rights_of_pods(args, facts, region),
            security_group_id=facts.vpc_config.cluster_security_group_id,
            discoverable=False,
            isolated=args.isolated,
            provider=provider,
            admission=Admission(usable_kubeconfig),
            charts=args.charts,
        )
        self.update_kubeconfig = pulumi.Output.from_input(
            update_command(name=cluster, region=region, identity=args.identity)
        )
        self.register_outputs(
            {
                "name": facts.name,
                "arn": self.arn,
                "endpoint": facts.endpoint,
                "oidcProviderArn": self.ref.oidc_provider_arn,
                "securityGroupId": self.ref.security_group_id,
                "version": facts.version,
            }
        )

    def _rights_of_pods(
        self, args: ExistingClusterArgs, facts: aws.eks.AwaitableGetClusterResult, region: str
    ) -> str:
        """The OIDC provider's ARN for pods on Fargate; for those on nodes the agent is there."""
        lookup = pulumi.InvokeOptions(parent=self)
        match args.config.runs_on:
            case RunsOn.FARGATE:
                issuer = facts.identities[0].oidcs[0].issuer
                return _answer_to(
                    lambda: aws.iam.get_open_id_connect_provider(url=issuer, opts=lookup).arn,
                    f"cluster.existing: IAM has no OIDC provider for {issuer}, by which pods on "
                    "Fargate get their AWS rights: `aws iam create-open-id-connect-provider "
                    f"--url {issuer} --client-id-list sts.amazonaws.com` makes it",
                )
            case RunsOn.NODES:
                _answer_to(
                    lambda: aws.eks.get_addon(
                        cluster_name=facts.name, addon_name=POD_IDENTITY_AGENT, opts=lookup
                    ),
                    f"cluster.existing: the cluster {facts.name} has no add-on "
                    f"{POD_IDENTITY_AGENT}, by which pods on nodes get their AWS rights: `aws eks "
                    f"create-addon --region {region} --cluster-name {facts.name} --addon-name "
                    f"{POD_IDENTITY_AGENT}` installs it",
                )
                return ""


def _current(parent: pulumi.Resource) -> Location:
    lookup = pulumi.InvokeOptions(parent=parent)
    caller = aws.get_caller_identity(opts=lookup)
    return Location(region=aws.get_region(opts=lookup).region, account=caller.account_id)


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


def _answer_to(question: Callable[[], Answer], remedy: str) -> Answer:
    """AWS's answer. Raises RunError with the remedy, and with what AWS said, where it has none."""
    try:
        return question()
    # Pulumi raises Exception itself when a look-up fails.
    except Exception as error:
        raise pulumi.RunError(f"{remedy} ({error})") from error
