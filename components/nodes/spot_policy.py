"""Policies of an Auto Scaling group: which instances it launches, and how it replaces and ends
them.
"""

from typing import Any

import pulumi_aws as aws

from .distribution import RefreshConfig
from .spot_config import SpotNodeGroupConfig


def mixed_instances_policy(
    config: SpotNodeGroupConfig, template: aws.ec2.LaunchTemplate, *, on_demand_base: int
) -> aws.autoscaling.GroupMixedInstancesPolicyArgs:
    """The mixed instances policy: types in the order of the file, and the shares of spot and
    on-demand.
    """
    policy: dict[str, Any] = {
        "launch_template": {
            "launch_template_specification": {
                "launch_template_id": template.id,
                # With `$Latest` no change would ever start a refresh (pulumi/pulumi-aws#1577).
                "version": template.latest_version.apply(str),
            },
            "overrides": overrides(config),
        },
        "instances_distribution": {
            "on_demand_base_capacity": on_demand_base,
            **config.distribution.distribution(),
        },
    }
    return aws.autoscaling.GroupMixedInstancesPolicyArgs(**policy)


def overrides(config: SpotNodeGroupConfig) -> list[dict[str, Any]]:
    """Overrides of the launch template's instance type: the listed types, or the requirements."""
    if config.instance_requirements:
        return [{"instance_requirements": config.instance_requirements.requirements()}]
    return [
        {"instance_type": each.type}
        | ({"weighted_capacity": str(each.weight)} if each.weight else {})
        for each in config.instance_types
    ]


def instance_refresh(refresh: RefreshConfig) -> aws.autoscaling.GroupInstanceRefreshArgs:
    """Settings of the rolling replacement of nodes when their template changes.

    There is no rollback: the provider gives the group its new template before the refresh starts,
    so there is no older one to go back to.
    """
    return aws.autoscaling.GroupInstanceRefreshArgs(
        strategy="Rolling",
        preferences=aws.autoscaling.GroupInstanceRefreshPreferencesArgs(
            min_healthy_percentage=refresh.min_healthy_percentage,
            max_healthy_percentage=refresh.max_healthy_percentage,
            instance_warmup=str(refresh.instance_warmup),
            # A type more in the list replaces no node.
            skip_matching=True,
        ),
    )


def termination_hook(seconds: int) -> dict[str, Any]:
    """Lifecycle hook that holds a terminating instance until it is drained, for at most `seconds`.

    If nobody drains it in time, the instance ends all the same.
    """
    return {
        "lifecycle_transition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "default_result": "CONTINUE",
        "heartbeat_timeout": seconds,
    }
