"""What an account asks of every IAM role, and the one role that belongs to the account."""

from typing import Any, cast

import pulumi
import pulumi_aws as aws

from .roles_config import RolesConfig

SPOT_SERVICE = "spot.amazonaws.com"
ROLE = "aws:iam/role:Role"


def role_settings(config: RolesConfig) -> pulumi.ResourceTransformation:
    """A transformation for the Platform: every role inside gets path and boundary.

    So no component can forget them. Not the service-linked role, whose path is AWS's own.
    """
    given = {"path": config.path, "permissions_boundary": config.permissions_boundary}
    asked = {key: value for key, value in given.items() if value is not None}

    def transformation(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ != ROLE or not asked:
            return None
        props = dict(cast(dict[str, Any], args.props)) | asked
        return pulumi.ResourceTransformationResult(props, args.opts)

    return transformation


class SpotServiceLinkedRole(pulumi.ComponentResource):
    """AWSServiceRoleForEC2Spot: made if the account has none, adopted if it has, never deleted.

    An account has one, and AWS makes it at the first spot request of somebody with the right to do
    so, which Karpenter has not: its launches would fail (karpenter-provider-aws#5436).
    """

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("frugal-eks:index:SpotServiceLinkedRole", name, None, opts)
        # A list, since an empty one is no error: getRole's answer to a missing role is. The path is
        # the service's own, and spot knows no second role by a suffix.
        found = aws.iam.get_roles(
            path_prefix=f"/aws-service-role/{SPOT_SERVICE}/",
            opts=pulumi.InvokeOptions(parent=self),
        )
        aws.iam.ServiceLinkedRole(
            name,
            aws_service_name=SPOT_SERVICE,
            opts=pulumi.ResourceOptions(
                parent=self,
                # What the stack's state already holds under this id is not imported again.
                import_=next(iter(found.arns), None),
                retain_on_delete=True,
                # Whoever made it may have described and tagged it.
                ignore_changes=["description", "tags", "customSuffix"],
            ),
        )
        self.register_outputs({})
