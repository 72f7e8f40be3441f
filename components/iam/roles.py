"""The account's rules for all IAM roles, and the account's own role for spot."""

from typing import Any, cast

import pulumi
import pulumi_aws as aws

from .roles_config import RolesConfig

SPOT_SERVICE = "spot.amazonaws.com"
ROLE = "aws:iam/role:Role"


def role_settings(config: RolesConfig) -> pulumi.ResourceTransformation:
    """A transformation for the Platform that sets path and boundary on every role inside.

    So no component can forget them. The service-linked role is excepted: AWS sets its path.
    """
    configured = {"path": config.path, "permissions_boundary": config.permissions_boundary}
    settings = {key: value for key, value in configured.items() if value is not None}

    def transformation(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ != ROLE or not settings:
            return None
        props = dict(cast(dict[str, Any], args.props)) | settings
        return pulumi.ResourceTransformationResult(props, args.opts)

    return transformation


class SpotServiceLinkedRole(pulumi.ComponentResource):
    """AWSServiceRoleForEC2Spot: created if the account lacks it, adopted if not, never deleted.

    An account has one such role. AWS creates it at the first spot request of somebody with
    permission to do so, which Karpenter lacks: its launches would fail
    (karpenter-provider-aws#5436).
    """

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("frugal-eks:index:SpotServiceLinkedRole", name, None, opts)
        # A list, since an empty one is no error: getRole's answer to a missing role is. The path is
        # the service's own, and spot knows no second role by a suffix.
        existing = aws.iam.get_roles(
            path_prefix=f"/aws-service-role/{SPOT_SERVICE}/",
            opts=pulumi.InvokeOptions(parent=self),
        )
        aws.iam.ServiceLinkedRole(
            name,
            aws_service_name=SPOT_SERVICE,
            opts=pulumi.ResourceOptions(
                parent=self,
                # What the stack's state already holds under this id is not imported again.
                import_=next(iter(existing.arns), None),
                retain_on_delete=True,
                # Whoever made it may have described and tagged it.
                ignore_changes=["description", "tags", "customSuffix"],
            ),
        )
        self.register_outputs({})
