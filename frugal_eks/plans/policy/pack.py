"""The rules as Pulumi policies. Runs in this folder's `.venv`, which has `pulumi_policy`."""

from collections.abc import Mapping
from typing import Any, cast

import pulumi_policy as pp
from pulumi_policy.proxy import UnknownValueError

from frugal_eks.plans.policy.configuration import own_settings
from frugal_eks.plans.policy.enforcing import Enforcement
from frugal_eks.plans.policy.rule import ResourceRule, StackRule
from frugal_eks.plans.policy.rules import IN_THE_PACK
from frugal_eks.plans.previews import UNKNOWN, Resource

NAME = "frugal-eks"
DOCUMENTATION = "docs/policy.md"
LEVELS = {
    "mandatory": pp.EnforcementLevel.MANDATORY,
    "advisory": pp.EnforcementLevel.ADVISORY,
}
_REASONS = {
    "type": "object",
    "additionalProperties": {"type": "string", "minLength": 1},
    "description": "Reasons by the name of a resource, or by * for all of them.",
}
_OWN: dict[str, dict[str, dict[str, Any]]] = {
    "missing-tags": {"requiredTags": {"type": "array", "items": {"type": "string"}}},
    "spot-share": {"minSpotShare": {"type": "number", "minimum": 0, "maximum": 1}},
    "over-budget": {
        "monthlyBudgetUsd": {"type": "number", "exclusiveMinimum": 0},
        "region": {"type": "string"},
    },
}
"""Settings of a rule in the pack's configuration, besides its exceptions."""


def policies() -> list[pp.Policy]:
    """One policy for each rule, plus one that reads the stack's settings and one that reports
    exceptions.
    """
    enforcement = Enforcement()
    # First: the engine asks the policies about a resource in this order.
    meeting = pp.ResourceValidationPolicy(
        name="stack-settings",
        description="Reads the section `policy` of a frugal-eks stack.",
        enforcement_level=pp.EnforcementLevel.ADVISORY,
        validate=lambda args, _report: _meet(enforcement, args),
    )
    telling = pp.StackValidationPolicy(
        name="exceptions",
        description="What `policy.except` of the stack file leaves out.",
        enforcement_level=pp.EnforcementLevel.ADVISORY,
        validate=lambda _args, report: _tell(enforcement, report),
    )
    made = [
        _of_resource(rule, enforcement)
        if isinstance(rule, ResourceRule)
        else _of_stack(rule, enforcement)
        for rule in IN_THE_PACK
    ]
    # Last: by then each rule has used its exceptions.
    return [meeting, *made, telling]


def _of_resource(rule: ResourceRule, enforcement: Enforcement) -> pp.Policy:
    def validate(args: pp.ResourceValidationArgs, report: pp.ReportViolation) -> None:
        resource, own = _resource(args), own_settings(rule.name, args.get_config())
        for violation in enforcement.of_resource(rule, resource, own):
            report(violation.text, None)

    return pp.ResourceValidationPolicy(
        name=rule.name,
        description=rule.reason,
        enforcement_level=LEVELS[rule.level],
        config_schema=_schema(rule.name),
        remediation_steps=rule.remedy,
        url=f"{DOCUMENTATION}#{rule.name}",
        validate=validate,
    )


def _of_stack(rule: StackRule, enforcement: Enforcement) -> pp.Policy:
    def validate(args: pp.StackValidationArgs, report: pp.ReportViolation) -> None:
        resources = [_in_stack(resource, enforcement) for resource in args.resources]
        own = own_settings(rule.name, args.get_config())
        for violation in enforcement.of_stack(rule, resources, own):
            report(violation.text, violation.urn or None)

    return pp.StackValidationPolicy(
        name=rule.name,
        description=rule.reason,
        enforcement_level=LEVELS[rule.level],
        config_schema=_schema(rule.name),
        remediation_steps=rule.remedy,
        url=f"{DOCUMENTATION}#{rule.name}",
        validate=validate,
    )


def _schema(rule: str) -> pp.PolicyConfigSchema:
    return pp.PolicyConfigSchema(properties={"except": _REASONS, **_OWN.get(rule, {})})


def _meet(enforcement: Enforcement, args: pp.ResourceValidationArgs) -> None:
    enforcement.meet(_resource(args))
    if args.provider and args.provider.resource_type == "pulumi:providers:aws":
        enforcement.at(plain(args.provider.props).get("region"))


def _tell(enforcement: Enforcement, report: pp.ReportViolation) -> None:
    for sentence in enforcement.exceptions():
        report(sentence, None)


def _resource(args: pp.ResourceValidationArgs) -> Resource:
    return Resource(
        urn=args.urn,
        type=args.resource_type,
        parent=args.opts.parent or "",
        custom=_is_custom(args.resource_type, args.provider),
        inputs=plain(args.props),
        protect=args.opts.protect,
    )


def _in_stack(resource: pp.PolicyResource, enforcement: Enforcement) -> Resource:
    """A resource with its declared inputs; at this stage the engine passes only outputs."""
    outputs = plain(resource.props)
    return Resource(
        urn=resource.urn,
        type=resource.resource_type,
        parent=resource.opts.parent or "",
        custom=_is_custom(resource.resource_type, resource.provider),
        inputs=enforcement.inputs.get(resource.urn, outputs),
        outputs=outputs,
        dependencies=tuple(dependency.urn for dependency in resource.dependencies),
        protect=resource.opts.protect,
    )


def _is_custom(token: str, provider: object) -> bool:
    """True if the resource is custom; the engine does not say so, but a component has no
    provider.
    """
    return provider is not None or token.startswith("pulumi:providers:")


def plain(props: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as plain values, in which UNKNOWN stands for what is not known yet."""
    return {key: _value(props, key) for key in props}


def _value(holder: Any, key: Any) -> Any:
    try:
        value = holder[key]
    except UnknownValueError:
        return UNKNOWN
    if isinstance(value, Mapping):
        return plain(cast("Mapping[str, Any]", value))
    if hasattr(value, "__len__") and not isinstance(value, str | bytes):
        return [_value(value, index) for index in range(len(value))]
    return value
