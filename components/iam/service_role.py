"""An IAM role that an AWS service takes on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from ..names import ROLE_STEM_LIMIT, fitted


@dataclass(frozen=True, kw_only=True)
class ServiceRoleArgs:
    """Who takes the role on, and what it may do."""

    service: str
    """The service principal, for example `eks.amazonaws.com`."""
    managed_policies: Mapping[str, str]
    """ARNs of managed policies by a short noun that names the attachment."""
    policies: Mapping[str, pulumi.Input[Mapping[str, Any]]] = field(
        default_factory=dict[str, pulumi.Input[Mapping[str, Any]]]
    )
    """Policy documents of its own, by a short noun."""
    condition: Mapping[str, Any] | None = None
    """The condition of the trust policy, where the service can be held to one."""
    physical_name: str | None = None
    """Only where AWS or another system refers to the role by name; at most 64 characters."""
    tags: Mapping[str, str] | None = None
    """Tags of the role."""


class ServiceRole(pulumi.ComponentResource):
    """The role with its policies. Depend on the component, and the policies are attached."""

    role: aws.iam.Role
    """The bare role, for what wants a resource; depend on `attachments` as well."""
    attachments: Sequence[pulumi.Resource]
    """What must be there before the role is of use."""
    role_arn: pulumi.Output[str]
    """Known once every policy is attached."""
    role_name: pulumi.Output[str]
    """Known once every policy is attached."""

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
    """Trust one AWS service, under a condition where it knows one."""
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    if condition:
        statement["Condition"] = condition
    return {"Version": "2012-10-17", "Statement": [statement]}
