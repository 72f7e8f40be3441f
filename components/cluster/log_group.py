"""A CloudWatch log group with a fixed name, which may already exist."""

import pulumi
import pulumi_aws as aws

from .cluster_config import RetentionDays


def adopted_log_group(
    noun: str, *, name: str, retention_days: RetentionDays, parent: pulumi.Resource
) -> aws.cloudwatch.LogGroup:
    """Log group `name` as the resource `noun`; an existing group of that name is adopted.

    Programs that write into a group outlive a destroy and may create the group again, and
    CreateLogGroup refuses a name that is taken (terraform-aws-modules/terraform-aws-eks#411).
    """
    existing = aws.cloudwatch.get_log_groups(
        log_group_name_prefix=name, opts=pulumi.InvokeOptions(parent=parent)
    )
    return aws.cloudwatch.LogGroup(
        noun,
        name=name,
        retention_in_days=retention_days,
        opts=pulumi.ResourceOptions(
            parent=parent,
            # What the stack's state already holds under this id is not imported again.
            import_=name if name in existing.log_group_names else None,
        ),
    )
