"""Keeps settings of groups that moto drops, at creation or update."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from typing import Any, cast

from moto.autoscaling.exceptions import ValidationError
from moto.autoscaling.models import FakeAutoScalingGroup
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import EmptyResult
from moto.iam.models import iam_backends

from rehearsal.aws.iam_propagation import profile_counts
from rehearsal.aws.scaling.capacity import with_defaults

_moto_creates = AutoScalingResponse.create_auto_scaling_group
_moto_updates = AutoScalingResponse.update_auto_scaling_group
_moto_tells: Any = cast("Any", FakeAutoScalingGroup.launch_template).fget
_PROFILE_WORDS = {"Name": "name", "Arn": "ARN"}
NO_POLICY = -1
"""Value of both percentages that removes the group's maintenance policy."""


def create_group(response: Any) -> Any:
    """CreateAutoScalingGroup, with the hooks in the request."""
    _check_template(response)
    answer = _moto_creates(response)
    backend, name = response.autoscaling_backend, response._get_param("AutoScalingGroupName")
    group = backend.autoscaling_groups[name]
    group.mixed_instances_policy = group.mixed_instances_policy and with_defaults(
        group.mixed_instances_policy
    )
    _take_over(response, group)
    for given in response._get_param("LifecycleHookSpecificationList", []):
        hook = backend.create_lifecycle_hook(
            name=given["LifecycleHookName"],
            as_name=name,
            transition=given["LifecycleTransition"],
            timeout=given.get("HeartbeatTimeout"),
            result=given.get("DefaultResult"),
        )
        hook.notification_metadata = given.get("NotificationMetadata")
        hook.notification_target_arn = given.get("NotificationTargetARN")
        hook.role_arn = given.get("RoleARN")
    return answer


def update_group(response: Any) -> EmptyResult:
    """UpdateAutoScalingGroup: what is not given stays."""
    _check_template(response)
    groups = response.autoscaling_backend.autoscaling_groups
    if group := groups.get(response._get_param("AutoScalingGroupName")):
        _take_over(response, group)
        group.capacity_rebalance = response._get_bool_param(
            "CapacityRebalance", group.capacity_rebalance
        )
        group.default_cooldown = response._get_int_param("DefaultCooldown", group.default_cooldown)
        group.termination_policies = response._get_param(
            "TerminationPolicies", group.termination_policies
        )
    return _moto_updates(response)  # type: ignore[return-value]


def update_settings(group: Any, **settings: Any) -> None:
    """FakeAutoScalingGroup.update: keeps the mixed policy, and the size within its bounds."""
    group._set_azs_and_vpcs(
        settings["availability_zones"], settings["vpc_zone_identifier"], update=True
    )
    template, policy = settings["launch_template"], settings["mixed_instances_policy"]
    if template or policy or settings["launch_config_name"]:
        group.mixed_instances_policy = policy and with_defaults(policy)
        group._set_launch_configuration(
            settings["launch_config_name"],
            template,
            mixed_instances_policy=group.mixed_instances_policy,
        )
    for attribute, name in (
        ("max_size", "max_size"),
        ("min_size", "min_size"),
        ("health_check_grace_period", "health_check_period"),
        ("health_check_type", "health_check_type"),
        (
            "new_instances_protected_from_scale_in",
            "new_instances_protected_from_scale_in",
        ),
    ):
        if settings[name] is not None:
            setattr(group, attribute, settings[name])
    wanted = settings["desired_capacity"]
    if wanted is None:
        wanted = min(max(group.desired_capacity, group.min_size), group.max_size)
    group.set_desired_capacity(wanted)


def own_template(group: Any) -> dict[str, Any] | None:
    """FakeAutoScalingGroup.launch_template: None for a group whose mixed policy has the
    template.
    """
    return None if group.mixed_instances_policy else _moto_tells(group)


def _take_over(response: Any, group: Any) -> None:
    """Stores what moto does not know, for DescribeAutoScalingGroups."""
    if policy := response._get_param("InstanceMaintenancePolicy"):
        removed = int(policy["MinHealthyPercentage"]) == NO_POLICY
        group.instance_maintenance_policy = None if removed else policy
    if (lifetime := response._get_int_param("MaxInstanceLifetime")) is not None:
        group.max_instance_lifetime = lifetime or None
    if (grace := response._get_int_param("HealthCheckGracePeriod")) is not None:
        # moto takes 0 for nothing.
        group.health_check_grace_period = grace


def _check_template(response: Any) -> None:
    policy = response._get_param("MixedInstancesPolicy")
    given = response._get_param("LaunchTemplate")
    if policy:
        given = policy["LaunchTemplate"]["LaunchTemplateSpecification"]
    if not given:
        return
    ec2 = response.autoscaling_backend.ec2_backend
    if given.get("LaunchTemplateId"):
        template = ec2.get_launch_template(given["LaunchTemplateId"])
    else:
        template = ec2.get_launch_template_by_name(given["LaunchTemplateName"])
    version = template.get_version(given.get("Version") or "$Default")
    _check_profile(ec2, version.data.get("IamInstanceProfile", {}))
    if policy and version.data.get("InstanceMarketOptions"):
        raise ValidationError(
            "Incompatible launch template: You cannot use a launch template that is set to request "
            "Spot Instances (InstanceMarketOptions) when you configure an Auto Scaling group with "
            "a mixed instances policy. Add a different launch template to the group and try again."
        )


def _check_profile(ec2: Any, given: dict[str, str]) -> None:
    iam = iam_backends[ec2.account_id][ec2.partition]
    for profile in iam.instance_profiles.values():
        known_as = {"Name": profile.name, "Arn": profile.arn}
        for key, value in given.items():
            if known_as[key] == value and not profile_counts(profile):
                raise ValidationError(
                    "You must use a valid fully-formed launch template. Value "
                    f"({value}) for parameter iamInstanceProfile.{key.lower()} is invalid. "
                    f"Invalid IAM Instance Profile {_PROFILE_WORDS[key]}"
                )
