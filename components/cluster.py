"""The EKS control plane, who may talk to it, and nothing that runs on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s
from pydantic import Field

import compatibility
from components.addresses import AddressRange
from components.location import Location
from components.network.tags import DISCOVERY_TAG
from components.section import Mistake, Section
from components.service_role import ServiceRole, ServiceRoleArgs

ADMIN_POLICY = "arn:{partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
KMS_DELETION_DAYS = 7
"""The shortest that KMS allows; a key that waits for deletion costs nothing."""

IamArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+$",
        examples=["arn:aws:iam::111122223333:role/platform-admin"],
    ),
]
LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]
RetentionDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827]
"""Days that CloudWatch Logs knows (PutRetentionPolicy)."""


class EndpointConfig(Section):
    """From where the Kubernetes API can be reached."""

    public: bool = False
    """From the internet, by the addresses in `publicCidrs`."""
    public_cidrs: tuple[AddressRange, ...] = ()
    """Who may connect from the internet; `0.0.0.0/0` is everybody."""
    private: bool = True
    """From inside the VPC; nodes and Fargate pods then stay off the internet for it."""

    def mistakes(self) -> Iterator[Mistake]:
        """It can be reached, and a public one says by whom."""
        if not (self.public or self.private):
            problem = "public and private are both false: set one of them to true"
            yield Mistake("private", problem, value=False)
        if self.public and not self.public_cidrs:
            yield Mistake(
                "publicCidrs",
                "public is true: list the addresses that may connect, "
                "[0.0.0.0/0] for all of the internet",
            )
        if self.public_cidrs and not self.public:
            problem = "needs public: true, or drop it"
            yield Mistake("publicCidrs", problem, ", ".join(map(str, self.public_cidrs)))


class ControlPlaneLogsConfig(Section):
    """What the control plane logs to CloudWatch, at 0.50 to 0.70 USD a GB."""

    types: tuple[LogType, ...] = ("audit", "authenticator")
    """Which of its logs; none at all: `[]`."""
    retention_days: RetentionDays = 30
    """After so many days CloudWatch deletes them."""


class ClusterConfig(Section):
    """The control plane; 0.10 USD an hour, six times that in extended support."""

    name: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$")
    """Known in advance, since tags, role names and the interruption queue carry it."""
    version: str
    """The Kubernetes minor version; raising it updates the control plane in place, one minor at a
    time."""
    endpoint: EndpointConfig
    """From where the Kubernetes API can be reached."""
    admins: tuple[IamArn, ...] = Field(min_length=1)
    """Roles or users with full rights in the cluster. The one that deploys must be among them:
    whoever creates the cluster gets no rights by that alone."""
    support_type: Literal["STANDARD", "EXTENDED"] = "STANDARD"
    """STANDARD: EKS upgrades by itself at the end of standard support. EXTENDED: it stays, and
    costs 0.60 USD an hour from then on."""
    deletion_protection: bool = True
    """A destroy then takes two steps: false, `pulumi up`, `pulumi destroy`."""
    logs: ControlPlaneLogsConfig = ControlPlaneLogsConfig()
    """What the control plane logs, and for how long."""
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """The key that encrypts Secrets; absent means one of the stack's own, at 1 USD a month."""

    def mistakes(self) -> Iterator[Mistake]:
        """A version that EKS runs, and each administrator once."""
        problem = compatibility.kubernetes_problem(self.version, self.support_type)
        if problem:
            yield Mistake("version", problem, self.version)
        for admin in sorted({admin for admin in self.admins if self.admins.count(admin) > 1}):
            yield Mistake("admins", "is named twice: drop one", admin)


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """The stack file's part, and where the control plane goes."""

    config: ClusterConfig
    """The stack file's part."""
    location: Location
    """Where the stack is deployed."""
    vpc_id: pulumi.Input[str]
    """The VPC of the subnets."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets in at least two zones."""
    discovery_tag: bool = True
    """Whether Karpenter puts nodes into EKS's security group; false where they have their own."""


class Cluster(pulumi.ComponentResource):
    """The control plane by itself: what runs on it hangs off its outputs, side by side."""

    name: pulumi.Output[str]
    """Known once the control plane is active."""
    arn: pulumi.Output[str]
    """Known once the control plane is active."""
    endpoint: pulumi.Output[str]
    """The address of the Kubernetes API."""
    certificate_authority: pulumi.Output[str]
    """Of the endpoint, in base64."""
    service_cidr: pulumi.Output[str]
    """From where Services get their addresses."""
    oidc_provider_arn: pulumi.Output[str]
    """The OIDC provider in IAM, which IRSA trusts."""
    security_group_id: pulumi.Output[str]
    """The security group of control plane, Fargate pods and, unless they have their own, nodes; EKS
    made it."""
    provider: k8s.Provider
    """Talks to the cluster, with an administrator's rights."""
    update_kubeconfig: pulumi.Output[str]
    """The command that lets kubectl talk to it."""

    def __init__(
        self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Cluster", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config, location = args.config, args.location

        control_plane = self._control_plane(name, args)
        cluster = control_plane.eks_cluster
        self.name = cluster.name
        self.arn = cluster.arn
        self.endpoint = cluster.endpoint
        self.certificate_authority = cluster.certificate_authority.apply(lambda ca: ca.data or "")
        self.service_cidr = cluster.kubernetes_network_config.service_ipv4_cidr
        self.security_group_id = cluster.vpc_config.cluster_security_group_id

        if args.discovery_tag:
            # The group is EKS's own: a tag on the cluster does not reach it (pulumi-eks#1194).
            aws.ec2.Tag(
                f"{name}-discovery",
                resource_id=self.security_group_id,
                key=DISCOVERY_TAG,
                value=config.name,
                opts=child,
            )
        oidc_provider = aws.iam.OpenIdConnectProvider(
            f"{name}-oidc",
            url=cluster.identities[0].oidcs[0].issuer,
            client_id_lists=["sts.amazonaws.com"],
            opts=child,
        )
        self.oidc_provider_arn = oidc_provider.arn

        policy = ADMIN_POLICY.format(partition=location.partition)
        grants: list[pulumi.Resource] = []
        for admin in config.admins:
            noun = f"{name}-admin-{admin.partition(':iam::')[2].replace(':', '-')}"
            entry = aws.eks.AccessEntry(
                noun, cluster_name=self.name, principal_arn=admin, opts=child
            )
            grant = aws.eks.AccessPolicyAssociation(
                noun,
                cluster_name=self.name,
                principal_arn=entry.principal_arn,
                policy_arn=policy,
                access_scope={"type": "cluster"},
                opts=child,
            )
            grants.append(grant)
        self.provider = k8s.Provider(
            f"{name}-kubernetes",
            kubeconfig=control_plane.kubeconfig_json,
            # Else a kubeconfig that spells something differently replaces all that is in it.
            cluster_identifier=self.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=grants),
        )
        self.update_kubeconfig = pulumi.Output.format(
            "aws eks update-kubeconfig --region {0} --name {1}", location.region, self.name
        )
        self.register_outputs(
            {
                "name": self.name,
                "arn": self.arn,
                "endpoint": self.endpoint,
                "oidcProviderArn": self.oidc_provider_arn,
                "securityGroupId": self.security_group_id,
            }
        )

    def _control_plane(self, name: str, args: ClusterArgs) -> eks.Cluster:
        """One call in the form in which nothing waits behind it: no add-ons, nodes, groups inside.

        The component's outputs resolve only when all of its children are done, so it gets none but
        the control plane.
        """
        child = pulumi.ResourceOptions(parent=self)
        config, location = args.config, args.location
        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service="eks.amazonaws.com",
                managed_policies={"cluster": location.managed_policy("AmazonEKSClusterPolicy")},
            ),
            opts=child,
        )
        # Before the control plane: EKS else makes it without retention; and it is deleted after it,
        # so that the last lines do not bring it back.
        logs = aws.cloudwatch.LogGroup(
            f"{name}-logs",
            name=f"/aws/eks/{config.name}/cluster",
            retention_in_days=config.logs.retention_days,
            opts=child,
        )
        key_arn: pulumi.Input[str] | None = config.kms_key_arn
        if key_arn is None:
            key = aws.kms.Key(
                f"{name}-secrets",
                description=f"Secrets of the EKS cluster {config.name}",
                enable_key_rotation=True,
                deletion_window_in_days=KMS_DELETION_DAYS,
                opts=child,
            )
            key_arn = key.arn
        endpoint = config.endpoint
        return eks.Cluster(
            name,
            name=config.name,
            version=config.version,
            vpc_id=args.vpc_id,
            private_subnet_ids=list(args.subnet_ids),
            service_role=role.role,
            authentication_mode=eks.AuthenticationMode.API,
            skip_default_node_group=True,
            skip_default_security_groups=True,
            use_default_vpc_cni=True,  # it means: do not make the vpc-cni add-on
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
            coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
            bootstrap_self_managed_addons=False,
            create_oidc_provider=False,
            # Only ever false: with true the component waits for an endpoint that the machine which
            # deploys may not reach; absent is AWS's default, true.
            endpoint_public_access=None if endpoint.public else False,
            endpoint_private_access=endpoint.private,
            public_access_cidrs=[str(cidr) for cidr in endpoint.public_cidrs] or None,
            enabled_cluster_log_types=list(config.logs.types),
            encryption_config_key_arn=key_arn,
            upgrade_policy=aws.eks.ClusterUpgradePolicyArgs(support_type=config.support_type),
            deletion_protection=config.deletion_protection,
            tags={DISCOVERY_TAG: config.name},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*role.attachments, logs],
                transforms=[no_creator_admin],
            ),
        )


def no_creator_admin(
    args: pulumi.ResourceTransformArgs,
) -> pulumi.ResourceTransformResult | None:
    """Whoever creates the cluster gets no admin right by that; `admins` alone says who has it.

    eks.Cluster hard-codes the right (pulumi-eks#2373) and has no argument for it.
    """
    if args.type_ != "aws:eks/cluster:Cluster":
        return None
    props = cast(dict[str, Any], args.props)
    access = props.get("accessConfig", {}) | {"bootstrapClusterCreatorAdminPermissions": False}
    return pulumi.ResourceTransformResult(props | {"accessConfig": access}, args.opts)


def deploys_as_admin(caller_arn: str, admins: Sequence[str]) -> bool:
    """Whether the identity that deploys is one of the administrators.

    STS names an assumed role by `assumed-role/<role>/<session>`, without the role's path.
    """
    account_and_partition, _, resource = caller_arn.rpartition(":")
    kind, _, rest = resource.partition("/")
    if kind != "assumed-role":
        return caller_arn in admins
    prefix = account_and_partition.replace(":sts:", ":iam:") + ":role/"
    role = rest.partition("/")[0]
    return any(a.startswith(prefix) and a.rpartition("/")[2] == role for a in admins)
