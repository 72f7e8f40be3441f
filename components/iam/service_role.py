"""An IAM role that an AWS service assumes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from ..names import ROLE_STEM_LIMIT, fitted


@dataclass(frozen=True, kw_only=True)
class ServiceRoleArgs:
    """The service that assumes the role, and the role's policies."""

    service: str
    """Service principal, for example `eks.amazonaws.com`."""
    managed_policies: Mapping[str, str]
    """ARNs of managed policies by the name of their attachment."""
    policies: Mapping[str, pulumi.Input[Mapping[str, Any]]] = field(
        default_factory=dict[str, pulumi.Input[Mapping[str, Any]]]
    )
    """Policy documents for the role alone, by name."""
    condition: Mapping[str, Any] | None = None
    """Condition of the trust policy, if the service supports one."""
    physical_name: str | None = None
    """Name of the role, only if AWS or another system refers to it; at most 64 characters."""
    tags: Mapping[str, str] | None = None
    """Tags of the role."""


class ServiceRole(pulumi.ComponentResource):
    """An IAM role for one AWS service, with its policies attached. Depending on the component waits
    for the attachments.
    """

    role: aws.iam.Role
    """The role by itself, for arguments that take a resource; also depend on `attachments`."""
    attachments: Sequence[pulumi.Resource]
    """Attached policies, which must exist before the role is usable."""
    role_arn: pulumi.Output[str]
    """ARN of the role; resolves once every policy is attached."""
    role_name: pulumi.Output[str]
    """Name of the role; resolves once every policy is attached."""

    def __init__(
        self, name: str, args: ServiceRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ServiceRole", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        trust = service_trust(service=args.service, condition=args.condition)
        self.role = aws.iam.Role(
            fitted(name, ROLE_STEM_LIMIT),
            name=args.physical_name,
            assume_role_policy=pulumi.Output.json_dumps(trust),
            tags=args.tags,
            opts=child,
        )
        managed = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{noun}", role=self.role.name, policy_arn=arn, opts=child
            )
            for noun, arn in args.managed_policies.items()
        ]
        own = [
            aws.iam.RolePolicy(
                f"{name}-{noun}",
                role=self.role.name,
                policy=pulumi.Output.json_dumps(document),
                opts=child,
            )
            for noun, document in args.policies.items()
        ]
        self.attachments = [*managed, *own]
        attached = pulumi.Output.all(*(each.id for each in self.attachments))
        known = pulumi.Output.all(arn=self.role.arn, name=self.role.name, attached=attached)
        self.role_arn = known.apply(lambda role: role["arn"])
        self.role_name = known.apply(lambda role: role["name"])
        self.register_outputs({"roleArn": self.role_arn, "roleName": self.role_name})


def service_trust(*, service: str, condition: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Trust policy for one AWS service, with a condition if it supports one."""
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    if condition:
        statement["Condition"] = condition
    return {"Version": "2012-10-17", "Statement": [statement]}
