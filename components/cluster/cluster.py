"""The EKS control plane and access to it, without anything that runs on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, cast

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s

from ..cluster_ref import ClusterRef
from ..iam.service_role import ServiceRole, ServiceRoleArgs
from ..kubernetes.admission import Admission
from ..kubernetes.charts import ChartSource
from ..kubernetes.first_request import AS_ADMINISTRATOR, usable
from ..kubernetes.kubeconfig import AMBIENT, TokenIdentity, kubeconfig, update_command
from ..location import Location
from ..network.tags import DISCOVERY_TAG, owned_by
from .cluster_config import ClusterConfig
from .cluster_guard import CONTROL_PLANE, ClusterGuard, refuse_unusable_key
from .log_group import adopted_log_group

ADMIN_POLICY = "arn:{partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
KMS_DELETION_DAYS = 7
"""Days until KMS deletes a key, the fewest it allows; a key that waits for deletion costs
nothing.
"""


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """The stack file's settings of the control plane, and its network."""

    config: ClusterConfig
    """The stack file's settings of the control plane."""
    location: Location
    """Account and region of the stack."""
    vpc_id: pulumi.Input[str]
    """VPC of the subnets."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets in at least two zones."""
    discovery_tag: bool = True
    """True if Karpenter puts nodes into EKS's security group; false if nodes have their own."""
    identity: TokenIdentity = AMBIENT
    """Identity that the Kubernetes API sees: the same principal as the AWS provider's."""
    charts: ChartSource = field(default_factory=ChartSource)
    """Source of charts and images: upstream, or mirrors."""
    isolated: bool = False
    """True if the network has no way to the internet."""


class Cluster(pulumi.ComponentResource):
    """The EKS control plane. Resources that run on it depend on its outputs, and are made in
    parallel.
    """

    ref: ClusterRef
    """Reference that every component on the cluster takes. Its provider has an administrator's
    permissions; an update creates it once the API has answered.
    """
    arn: pulumi.Output[str]
    """ARN of the cluster; resolves once the control plane is active."""
    update_kubeconfig: pulumi.Output[str]
    """Command that gives kubectl access to the cluster."""

    def __init__(
        self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Cluster", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config, location = args.config, args.location

        control_plane = self._control_plane(name, args)
        cluster = control_plane.eks_cluster
        self.arn = cluster.arn
        certificate_authority = cluster.certificate_authority.apply(lambda ca: ca.data or "")
        security_group_id = cluster.vpc_config.cluster_security_group_id

        if args.discovery_tag:
            # The group is EKS's own: a tag on the cluster does not reach it (pulumi-eks#1194).
            aws.ec2.Tag(
                f"{name}-discovery",
                resource_id=security_group_id,
                key=DISCOVERY_TAG,
                value=config.name,
                opts=child,
            )
        oidc_provider = aws.iam.OpenIdConnectProvider(
            f"{name}-oidc",
            url=cluster.identities[0].oidcs[0].issuer,
            client_id_lists=["sts.amazonaws.com"],
            tags=owned_by(config.name),
            opts=child,
        )

        policy = ADMIN_POLICY.format(partition=location.partition)
        grants: list[aws.eks.AccessPolicyAssociation] = []
        for admin in config.admins:
            noun = f"{name}-admin-{admin.partition(':iam::')[2].replace(':', '-')}"
            entry = aws.eks.AccessEntry(
                noun, cluster_name=cluster.name, principal_arn=admin, opts=child
            )
            grant = aws.eks.AccessPolicyAssociation(
                noun,
                cluster_name=cluster.name,
                principal_arn=entry.principal_arn,
                policy_arn=policy,
                access_scope={"type": "cluster"},
                opts=child,
            )
            grants.append(grant)
        # Not the component's own, which leaves the profile out (nodejs/eks/cluster/cluster.ts).
        written = pulumi.Output.all(cluster.name, cluster.endpoint, certificate_authority).apply(
            lambda known: kubeconfig(
                name=known[0],
                region=location.region,
                endpoint=known[1],
                ca_data=known[2],
                identity=args.identity,
            )
        )
        usable_kubeconfig = usable(written, AS_ADMINISTRATOR, owner=self, needs=grants)
        provider = k8s.Provider(
            f"{name}-kubernetes",
            kubeconfig=usable_kubeconfig,
            # Without the identifier, a kubeconfig in another spelling would replace every object.
            cluster_identifier=self.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=grants),
        )
        self.ref = ClusterRef(
            name=config.name,
            live_name=cluster.name,
            version=config.version,
            location=location,
            endpoint=cluster.endpoint,
            certificate_authority=certificate_authority,
            service_cidr=cluster.kubernetes_network_config.service_ipv4_cidr,
            oidc_provider_arn=oidc_provider.arn,
            security_group_id=security_group_id,
            discoverable=True,
            isolated=args.isolated,
            provider=provider,
            admission=Admission(usable_kubeconfig),
            charts=args.charts,
        )
        self.update_kubeconfig = cluster.name.apply(
            lambda known: update_command(name=known, region=location.region, identity=args.identity)
        )
        self.register_outputs(
            {
                "name": cluster.name,
                "arn": self.arn,
                "endpoint": cluster.endpoint,
                "oidcProviderArn": oidc_provider.arn,
                "securityGroupId": security_group_id,
            }
        )

    def _control_plane(self, name: str, args: ClusterArgs) -> eks.Cluster:
        """The control plane by eks.Cluster, without add-ons, nodes and security groups inside.

        eks.Cluster's outputs resolve only when all of its children are done; so it gets no child
        but the control plane.
        """
        child = pulumi.ResourceOptions(parent=self)
        config, location = args.config, args.location
        if config.kms_key_arn:
            refuse_unusable_key(config.kms_key_arn, location, pulumi.InvokeOptions(parent=self))
        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service="eks.amazonaws.com",
                managed_policies={"cluster": location.managed_policy("AmazonEKSClusterPolicy")},
            ),
            opts=child,
        )
        # Before the control plane: EKS else makes it without retention. EKS writes its last lines
        # when the cluster is gone already, into a group that it makes again, which the next cluster
        # of that name finds (terraform-aws-modules/terraform-aws-eks#2763, #2446).
        logs = adopted_log_group(
            f"{name}-logs",
            name=f"/aws/eks/{config.name}/cluster",
            retention_days=config.logs.retention_days,
            parent=self,
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
        guard = ClusterGuard(
            protected=config.deletion_protection, replace_for_kms_key=config.replace_for_kms_key
        )
        cluster = eks.Cluster(
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
            # `true` is never given: the component would wait for an endpoint that the machine which
            # deploys may not reach. An absent value is AWS's default, true.
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
                transforms=[control_plane_settings(guard), by_our_providers],
            ),
        )
        cluster.urn.apply(guard.tell)
        return cluster


def control_plane_settings(guard: ClusterGuard) -> pulumi.ResourceTransform:
    """A transform that sets on the control plane what eks.Cluster has no argument for.

    eks.Cluster makes the creator an admin (pulumi-eks#2373); here only `admins` says who is one.
    The transform also guards an existing cluster against changes that EKS cannot make.
    """

    def transform(
        args: pulumi.ResourceTransformArgs,
    ) -> pulumi.ResourceTransformResult | None:
        if args.type_ != CONTROL_PLANE:
            return None
        props = cast(dict[str, Any], args.props)
        access = props.get("accessConfig", {}) | {"bootstrapClusterCreatorAdminPermissions": False}
        opts = guard.options(args.opts)
        return pulumi.ResourceTransformResult(props | {"accessConfig": access}, opts)

    return transform


def by_our_providers(
    args: pulumi.ResourceTransformArgs,
) -> pulumi.ResourceTransformResult | None:
    """A transform that makes the control plane use the same plugin versions as the program.

    eks.Cluster asks for older ones (nodejs/eks/package.json), which a refresh or destroy would have
    to download and run beside the program's. A preview and an update still use them for one call,
    aws.getPartition: only an explicit provider would reach that, and it would have none of the
    stack's `aws:` settings.
    """
    match args.type_.split(":"):
        case ["aws", *_]:
            sdk = "pulumi_aws"
        case ["pulumi", "providers", "kubernetes"]:
            sdk = "pulumi_kubernetes"
        case _:
            return None
    ours = pulumi.ResourceOptions(version=version(sdk))
    return pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions.merge(args.opts, ours))


def deploys_as_admin(caller_arn: str, admins: Sequence[str]) -> bool:
    """True if the identity that deploys is one of the administrators.

    STS names an assumed role by `assumed-role/<role>/<session>`, without the role's path.
    """
    account_and_partition, _, resource = caller_arn.rpartition(":")
    kind, _, rest = resource.partition("/")
    if kind != "assumed-role":
        return caller_arn in admins
    prefix = account_and_partition.replace(":sts:", ":iam:") + ":role/"
    role = rest.partition("/")[0]
    return any(a.startswith(prefix) and a.rpartition("/")[2] == role for a in admins)
