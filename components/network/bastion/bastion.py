"""A bastion host inside the VPC, for a Kubernetes API that the internet does not reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws

from ... import versions
from ...cluster_ref import ClusterRef
from ...ec2.amazon_linux import amazon_linux_ami
from ...iam.service_role import ServiceRole, ServiceRoleArgs
from ...location import Location
from .config import BastionConfig

ACCESS_POLICIES = {
    "view": "AmazonEKSViewPolicy",
    "edit": "AmazonEKSEditPolicy",
    "admin": "AmazonEKSClusterAdminPolicy",
}
_ANYWHERE = "0.0.0.0/0"
_SCRIPT = Path(__file__).with_name("bastion.sh")


@dataclass(frozen=True, kw_only=True)
class BastionArgs:
    """The stack file's settings of the bastion, the cluster, and the place in its network."""

    config: BastionConfig
    """The stack file's settings of the bastion."""
    cluster: ClusterRef
    """The cluster that the bastion's users administer."""
    vpc_id: pulumi.Input[str]
    """VPC of the bastion's security group."""
    subnet_id: pulumi.Input[str]
    """A public subnet if there is `ssh`, else a private one."""
    needs: Sequence[pulumi.Resource]
    """Resources that must exist first: the way to the internet."""


class Bastion(pulumi.ComponentResource):
    """The bastion's EC2 instance, with its role and its access to the cluster.

    The instance needs a way to the internet, from where it downloads kubectl and helm when it
    starts. No key or token is stored on it: its permissions come from the role.
    """

    address: pulumi.Output[str]
    """Address of the instance: public if there is `ssh`, else private."""
    command: pulumi.Output[str]
    """Command that opens a shell on the instance."""

    def __init__(
        self, name: str, args: BastionArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Bastion", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config, location, ssh = args.config, args.cluster.location, args.config.ssh

        role = self._role(name, args)
        profile = aws.iam.InstanceProfile(name, role=role.role_name, opts=child)
        group, rules = self._network(name, args)
        instance = aws.ec2.Instance(
            name,
            ami=amazon_linux_ami(pulumi.InvokeOutputOptions(parent=self)),
            instance_type=config.instance_type,
            subnet_id=args.subnet_id,
            vpc_security_group_ids=[group.id],
            associate_public_ip_address=ssh is not None,
            iam_instance_profile=profile.name,
            key_name=ssh and ssh.key_name,
            metadata_options={
                "http_endpoint": "enabled",
                "http_tokens": "required",
                "http_put_response_hop_limit": 1,
            },
            # It goes with the instance, unless told otherwise.
            root_block_device={"volume_size": 8, "volume_type": "gp3", "encrypted": True},
            user_data=user_data(
                region=location.region,
                cluster=args.cluster.name,
                kubectl=kubectl_version(args.cluster.version),
                helm=versions.HELM,
            ),
            # The script runs at the first start alone.
            user_data_replace_on_change=True,
            tags={"Name": f"{args.cluster.name}-bastion"},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[*rules, *args.needs]),
        )
        if ssh:
            self.address = instance.public_ip
            self.command = pulumi.Output.format(
                "ssh -i ~/.ssh/{0}.pem ec2-user@{1}", ssh.key_name, instance.public_ip
            )
        else:
            self.address = instance.private_ip
            self.command = pulumi.Output.format(
                "aws ssm start-session --region {0} --target {1}", location.region, instance.id
            )
        self.register_outputs({"address": self.address, "command": self.command})

    def _role(self, name: str, args: BastionArgs) -> ServiceRole:
        """The instance's role, with its access to the cluster."""
        child = pulumi.ResourceOptions(parent=self)
        location = args.cluster.location
        managed = (
            {}
            if args.config.ssh
            else {"ssm": location.managed_policy("AmazonSSMManagedInstanceCore")}
        )
        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service=f"ec2.{location.dns_suffix}",
                managed_policies=managed,
                policies={"cluster": cluster_policy(location=location, cluster=args.cluster.name)},
            ),
            opts=child,
        )
        entry = aws.eks.AccessEntry(
            name, cluster_name=args.cluster.live_name, principal_arn=role.role_arn, opts=child
        )
        aws.eks.AccessPolicyAssociation(
            name,
            cluster_name=args.cluster.live_name,
            principal_arn=entry.principal_arn,
            policy_arn=access_policy(location, args.config.access),
            access_scope={"type": "cluster"},
            opts=child,
        )
        return role

    def _network(
        self, name: str, args: BastionArgs
    ) -> tuple[aws.ec2.SecurityGroup, Sequence[pulumi.Resource]]:
        """The instance's security group, and the rules by which it is reached and reaches
        others.
        """
        child = pulumi.ResourceOptions(parent=self)
        ssh = args.config.ssh
        group = aws.ec2.SecurityGroup(
            name,
            vpc_id=args.vpc_id,
            description=f"Bastion of the EKS cluster {args.cluster.name}",
            tags={"Name": f"{args.cluster.name}-bastion"},
            opts=child,
        )
        out = aws.vpc.SecurityGroupEgressRule(
            f"{name}-https",
            security_group_id=group.id,
            description="AWS, the Kubernetes API, kubectl and helm",
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            cidr_ipv4=_ANYWHERE,
            opts=child,
        )
        api = aws.vpc.SecurityGroupIngressRule(
            f"{name}-api",
            security_group_id=args.cluster.security_group_id,
            description="The bastion to the Kubernetes API",
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            referenced_security_group_id=group.id,
            opts=child,
        )
        rules: list[pulumi.Resource] = [out, api]
        if ssh:
            rules.append(
                aws.vpc.SecurityGroupIngressRule(
                    f"{name}-ssh",
                    security_group_id=group.id,
                    description="SSH",
                    ip_protocol="tcp",
                    from_port=22,
                    to_port=22,
                    cidr_ipv4=str(ssh.cidr),
                    opts=child,
                )
            )
        return group, rules


def user_data(*, region: str, cluster: str, kubectl: str, helm: str) -> str:
    """Script that runs when the instance starts for the first time."""
    script = _SCRIPT.read_text(encoding="utf-8")
    values = {"REGION": region, "CLUSTER": cluster, "KUBECTL": kubectl, "HELM": helm}
    for noun, value in values.items():
        script = script.replace(f"@{noun}@", value)
    return script


def kubectl_version(kubernetes: str) -> str:
    """Version of kubectl for this Kubernetes minor. Raises RunError if there is none, which can
    only happen on an existing cluster.
    """
    pinned = versions.KUBECTL.get(kubernetes)
    if pinned is None:
        raise pulumi.RunError(
            f"bastion: there is no kubectl for Kubernetes {kubernetes}, only for "
            f"{', '.join(versions.KUBECTL)}: upgrade the cluster, or drop the bastion"
        )
    return pinned


def cluster_policy(*, location: Location, cluster: str) -> dict[str, Any]:
    """Policy that allows looking up this one cluster, for the kubeconfig."""
    statement = {
        "Sid": "FindTheCluster",
        "Effect": "Allow",
        "Action": "eks:DescribeCluster",
        "Resource": location.arn("eks", f"cluster/{cluster}"),
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def access_policy(location: Location, access: str) -> str:
    """ARN of one of EKS's own access policies."""
    return f"arn:{location.partition}:eks::aws:cluster-access-policy/{ACCESS_POLICIES[access]}"
