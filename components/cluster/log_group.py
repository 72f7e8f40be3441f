"""A log group of CloudWatch Logs under a name that is fixed, and may be taken already."""

import pulumi
import pulumi_aws as aws

from .cluster_config import RetentionDays


def adopted_log_group(
    noun: str, *, name: str, retention_days: RetentionDays, parent: pulumi.Resource
) -> aws.cloudwatch.LogGroup:
    """Log group `name` as the resource `noun`; a group of that name which exists is adopted.

    What writes into a group outlives its destroy and may make the group again, and CreateLogGroup
    refuses a name that is taken (terraform-aws-modules/terraform-aws-eks#411).
    """
    found = aws.cloudwatch.get_log_groups(
        log_group_name_prefix=name, opts=pulumi.InvokeOptions(parent=parent)
    )
    return aws.cloudwatch.LogGroup(
        noun,
        name=name,
        retention_in_days=retention_days,
        opts=pulumi.ResourceOptions(
            parent=parent,
            # What the stack's state already holds under this id is not imported again.
            import_=name if name in found.log_group_names else None,
        ),
    )
