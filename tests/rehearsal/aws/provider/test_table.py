"""The table says what the SDK says: names, required arguments, outputs."""

import functools
import importlib
import inspect
from typing import Any

import pytest
from botocore.session import get_session

from rehearsal.aws.provider import values
from rehearsal.aws.provider.data_sources import DATA_SOURCES
from rehearsal.aws.resource_types import TYPES
from rehearsal.aws.resource_types.entry import REQUIRED, Call


def sdk(token: str, suffix: str = "") -> Any:
    """The SDK's class of a type, or of its arguments."""
    _, module, name = token.split(":")
    return getattr(importlib.import_module(f"pulumi_aws.{module.split('/')[0]}"), name + suffix)


@functools.cache
def model(service: str) -> Any:
    """AWS's published request shapes."""
    return get_session().get_service_model(service)


def property_names(of: Any) -> dict[str, str]:
    """Python's name: Pulumi's name."""
    return {
        name: getattr(member.fget, "_pulumi_name", name)
        for name, member in vars(of).items()
        if isinstance(member, property)
    }


@pytest.mark.parametrize("token", TYPES)
def test_each_property_is_an_argument_of_the_sdk_and_the_same_ones_are_required(token: str):
    names = property_names(sdk(token, "Args"))
    parameters = inspect.signature(sdk(token, "Args").__init__).parameters
    required = {names[n] for n, p in parameters.items() if n in names and p.default is p.empty}

    table = TYPES[token].properties
    assert table.keys() - set(names.values()) == set()
    assert {name for name, prop in table.items() if REQUIRED in prop} == required


@pytest.mark.parametrize("token", TYPES)
def test_each_output_is_one_of_the_sdk(token: str):
    kind = TYPES[token]

    known = set(property_names(sdk(token)).values())
    assert set(kind.outputs) - known == set()
    assert set(kind.changing) - known == set()
    assert kind.regional == ("region" in known)


@pytest.mark.parametrize("token", TYPES)
def test_each_request_exists_and_has_the_parameters_of_its_templates(token: str):
    kind = TYPES[token]
    published = model(kind.service)
    steps = [*kind.create, *kind.read, *kind.delete, *(use.by for use in kind.in_use)]
    steps += [when.step for when in kind.steps()]

    for step in [step for step in steps if isinstance(step, Call)]:
        shape = published.operation_model(step.operation).input_shape
        assert step.parameters.keys() - shape.members.keys() == set()
        assert set(step.takes or ()) - kind.properties.keys() == set()


@pytest.mark.parametrize("token", TYPES)
def test_each_reference_names_a_type_of_the_table(token: str):
    references = {prop.refers_to for prop in TYPES[token].properties.values() if prop.refers_to}

    assert references - TYPES.keys() == set()


def test_values_are_checked_against_aws_own_model_where_a_request_takes_them():
    unchecked = {
        (token, name)
        for token, kind in TYPES.items()
        for name, prop in kind.properties.items()
        if prop.codec is None and values.shape_of(kind, name, model(kind.service)) is None
    }

    # These stay with the provider, or go through functions of their page.
    assert unchecked == {
        ("aws:autoscaling/group:Group", "forceDelete"),
        ("aws:autoscaling/group:Group", "instanceRefresh"),
        ("aws:autoscaling/group:Group", "suspendedProcesses"),
        ("aws:autoscaling/group:Group", "waitForCapacityTimeout"),
        ("aws:cloudwatch/eventRule:EventRule", "forceDestroy"),
        ("aws:cloudwatch/eventTarget:EventTarget", "forceDestroy"),
        ("aws:cloudwatch/logGroup:LogGroup", "retentionInDays"),
        ("aws:cloudwatch/logGroup:LogGroup", "skipDestroy"),
        ("aws:ec2/eip:Eip", "networkInterface"),
        ("aws:ec2/instance:Instance", "userDataReplaceOnChange"),
        ("aws:ec2/launchTemplate:LaunchTemplate", "defaultVersion"),
        ("aws:ec2/launchTemplate:LaunchTemplate", "updateDefaultVersion"),
        ("aws:ec2/securityGroup:SecurityGroup", "revokeRulesOnDelete"),
        ("aws:eks/addon:Addon", "preserve"),
        ("aws:eks/nodeGroup:NodeGroup", "forceUpdateVersion"),
        ("aws:iam/instanceProfile:InstanceProfile", "role"),
        ("aws:iam/role:Role", "forceDetachPolicies"),
        ("aws:kms/key:Key", "deletionWindowInDays"),
        ("aws:kms/key:Key", "enableKeyRotation"),
        ("aws:kms/key:Key", "isEnabled"),
        ("aws:kms/key:Key", "rotationPeriodInDays"),
        ("aws:sqs/queue:Queue", "kmsMasterKeyId"),
        ("aws:sqs/queue:Queue", "name"),
    }


@pytest.mark.parametrize("token", DATA_SOURCES)
def test_each_data_source_and_its_arguments_are_those_of_the_sdk(token: str):
    _, module, name = token.split(":")
    source = importlib.import_module(f"pulumi_aws.{module.split('/')[0]}".replace(".index", ""))
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    parameters = inspect.signature(getattr(source, words)).parameters

    camel = {
        first + "".join(word.capitalize() for word in rest)
        for first, *rest in (parameter.split("_") for parameter in parameters)
    }
    assert set(DATA_SOURCES[token].arguments) - camel == set()
