"""The table of AWS types, held against the facts about the real provider (tests/data/provider)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

from rehearsal.aws import iam_propagation
from rehearsal.aws.provider import checks
from rehearsal.aws.provider.account import Account, AwsError
from rehearsal.aws.provider.differences import between
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types import TYPES
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    Property,
    ResourceType,
    Retry,
)
from tests.provider_facts import MADE, facts, name_rule
from tests.rehearsal.aws.provider.world import World

NAMED = [token for token in TYPES if name_rule(token)]


def test_each_type_of_the_table_is_known_and_each_known_type_is_in_the_table():
    assert TYPES.keys() == facts().keys()


@pytest.mark.parametrize("token", TYPES)
def test_the_provider_makes_the_names_that_the_real_one_makes_and_as_long(token: str):
    made = {name: prop.autoname for name, prop in TYPES[token].properties.items() if prop.autoname}

    rule = name_rule(token)
    assert made == ({rule.property: rule.made} if rule else {})


@pytest.mark.parametrize("token", NAMED)
def test_a_name_that_is_too_long_is_refused_and_not_cut(engine: Any, token: str):
    rule = name_rule(token)
    assert rule
    longest = rule.longest - MADE
    fits, too_long = ({rule.property: "n" * length} for length in (longest, longest + 1))

    assert refusals(engine, token, fits) == []
    assert refusals(engine, token, too_long) != []


def refusals(engine: Any, token: str, logical: dict[str, str]) -> list[str]:
    """What the stand-in says of the name that it makes of a logical name."""
    ((name, stem),) = logical.items()
    naming = checks.Naming(name=stem, seed=b"")
    account = engine.provider.account
    try:
        inputs = checks.fill_in(TYPES[token], {}, {}, naming, account)
    except checks.NameTooLong as error:
        return [str(error)]
    assert len(inputs[name].removeprefix("alias/")) == len(stem) + MADE
    return [p.reason for p in checks.problems(TYPES[token], inputs, account) if p.property == name]


def test_a_refused_name_is_told_in_the_words_of_the_real_provider(engine: Any):
    rule = "aws:cloudwatch/eventRule:EventRule"
    name = "node-termination-handler-interruption-instance-state-change"

    with pytest.raises(engine.Refusal) as refused:
        engine.check(rule, name, {"eventPattern": "{}"})

    assert str(refused.value) == (
        f"could not make instance of '{rule}': name '{name}-' plus 7 random chars is longer than "
        "maximum length 64"
    )


STAYS = {
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "ipAddressType", "replaces"): (
        "moto cannot change it in place"
    ),
    ("aws:ec2/instance:Instance", "instanceType", "replaces when"): (
        "the only instance is the bastion, all of whose types are Graviton"
    ),
    ("aws:cloudwatch/eventRule:EventRule", "state", "use"): (
        "a state that is given no more is no difference (diff_suppress): COMPUTED says so"
    ),
    **{
        ("aws:ec2/securityGroup:SecurityGroup", name, "defaults inside"): (
            "no component names `self` in a rule, and without it a rule means the same as false"
        )
        for name in ("ingress", "egress")
    },
    **{
        (token, "timeouts", "read"): "the engine has no time-out for reading"
        for token in ("aws:ec2/eip:Eip", "aws:ec2/instance:Instance")
    },
}
"""Each difference between the table and the facts that is meant, with its reason."""


def test_the_table_differs_from_the_real_provider_only_where_it_is_meant():
    found = {
        (token, where, what): (ours, theirs)
        for token, kind in TYPES.items()
        for where, what, ours, theirs in differences(kind, facts()[token])
        if ours != theirs
    }

    assert "\n".join(f"{key}: {told}" for key, told in found.items() if key not in STAYS) == ""
    assert STAYS.keys() - found.keys() == set()


def differences(kind: ResourceType, known: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """Where, what, the table's word for it, the facts' word for it."""
    for name, prop in kind.properties.items():
        of = known["properties"][name]
        if not of.get("unsure"):
            yield name, "use", use(prop), of["use"]
            yield name, "replaces", REPLACES in prop, of["forces_new"]
            conditional = bool(prop.replaces_when or prop.replaces_if)
            yield name, "replaces when", conditional, replaces_sometimes(known["properties"], name)
            yield name, "default", prop.default, of.get("default")
            inside = defaults_inside(known["properties"], name)
            yield name, "defaults inside", dict(prop.defaults_inside), inside
    made = any(prop.autoname for prop in kind.properties.values())
    explicit = known["explicit_name_means_delete_before_replace"]
    yield "", "an explicit name means delete before replace", made, explicit
    yield "", "delete first", kind.delete_first, bool(known.get("always_delete_before_replace"))
    for operation in ("create", "read", "update", "delete"):
        declared = known["timeouts"].get(operation, {"declared": False})
        minutes = declared["minutes"] if declared["declared"] else 0
        yield "timeouts", operation, getattr(kind.timeouts, operation, 0), minutes
    yield "retries", "create", set(kind.retries), set(known_retries(known))


def use(prop: Property) -> str:
    """A property's use in the words of the facts."""
    if REQUIRED in prop:
        return "required"
    return "optional+computed" if COMPUTED in prop or prop.autoname else "optional"


def replaces_sometimes(known: Mapping[str, Any], name: str) -> bool:
    """Whether some changes of a property make a new resource, and others do not."""
    if known[name]["forces_new"]:
        return False
    own = [n for n in known if n == name or n.startswith(f"{name}.")]
    sure = [known[n] for n in own if not known[n].get("unsure")]
    return any(fact.get("forces_new") or fact.get("forces_new_when") for fact in sure)


def defaults_inside(known: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The defaults directly inside a nested property."""
    inner = {n.removeprefix(f"{name}."): f for n, f in known.items() if n.startswith(f"{name}.")}
    return {
        n: fact["default"]
        for n, fact in inner.items()
        if "." not in n and "default" in fact and not fact.get("unsure")
    }


def known_retries(known: Any) -> Iterator[Retry]:
    """The refusals that are not final, with the minutes that the provider asks again for."""
    for retry in known["create_retries"]:
        for code in retry["error"].split(" and "):
            yield Retry(code, minutes(retry["for"], known), tuple(retry["message_contains"]))


def minutes(text: str, known: Any) -> float:
    """A time of the facts: `2 minutes`, `90 s (half of …)`, `create timeout`."""
    if text == "create timeout":
        return known["timeouts"]["create"]["minutes"]
    number, unit = text.split()[:2]
    return int(number) / (60 if unit == "s" else 1)


def changed(token: str, old: dict[str, Any], new: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the change of some inputs is seen, and whether it makes a new resource."""
    found = between(TYPES[token], old_inputs=old, state=old, news=new)
    return bool(found.paths), bool(found.replaces)


RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
CLUSTER = "aws:eks/cluster:Cluster"
KEY = {"provider": {"keyArn": "arn:aws:kms:eu-west-1:111122223333:key/one"}}
OTHER_KEY = {"provider": {"keyArn": "arn:aws:kms:eu-west-1:111122223333:key/two"}}


@pytest.mark.parametrize(
    ("token", "old", "new", "replaces"),
    [
        (
            "aws:ec2/vpc:Vpc",
            {"instanceTenancy": "dedicated"},
            {"instanceTenancy": "default"},
            False,
        ),
        ("aws:ec2/vpc:Vpc", {"instanceTenancy": "default"}, {"instanceTenancy": "dedicated"}, True),
        (RULE, {"cidrIpv4": "10.0.0.0/8"}, {"cidrIpv4": "10.1.0.0/16"}, False),
        (RULE, {"cidrIpv4": "10.0.0.0/8"}, {"referencedSecurityGroupId": "sg-1"}, True),
        (
            ENDPOINT,
            {"vpcEndpointType": "Interface", "privateDnsEnabled": False},
            {"vpcEndpointType": "Interface", "privateDnsEnabled": True},
            False,
        ),
        (
            ENDPOINT,
            {"vpcEndpointType": "Gateway", "privateDnsEnabled": False},
            {"vpcEndpointType": "Gateway", "privateDnsEnabled": True},
            True,
        ),
        (CLUSTER, {}, {"encryptionConfig": KEY}, False),
        (CLUSTER, {"encryptionConfig": KEY}, {"encryptionConfig": OTHER_KEY}, False),
        (CLUSTER, {"encryptionConfig": KEY}, {}, True),
        (
            CLUSTER,
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"}},
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.100.0.0/16"}},
            True,
        ),
        (
            CLUSTER,
            {"kubernetesNetworkConfig": {"ipFamily": "ipv4"}},
            {
                "kubernetesNetworkConfig": {
                    "ipFamily": "ipv4",
                    "elasticLoadBalancing": {"enabled": True},
                }
            },
            False,
        ),
        (
            "aws:ec2/instance:Instance",
            {"userData": "a", "userDataReplaceOnChange": True},
            {"userData": "b", "userDataReplaceOnChange": True},
            True,
        ),
        (
            "aws:autoscaling/lifecycleHook:LifecycleHook",
            {"autoscalingGroupName": "a"},
            {"autoscalingGroupName": "b"},
            False,
        ),
    ],
)
def test_some_changes_of_a_property_make_a_new_resource_and_others_do_not(
    token: str, old: dict[str, Any], new: dict[str, Any], *, replaces: bool
):
    assert changed(token, old, new) == (True, replaces)


@pytest.mark.parametrize(
    ("token", "operation", "asked", "seconds"),
    [
        ("aws:eks/fargateProfile:FargateProfile", "create", 1200, 1200),
        ("aws:eks/fargateProfile:FargateProfile", "delete", 0, 600),
        # None is declared: what the program asks for does not reach the provider.
        ("aws:eks/fargateProfile:FargateProfile", "update", 60, 1200),
        ("aws:iam/role:Role", "create", 60, 1200),
        ("aws:autoscaling/group:Group", "delete", 1200, 1200),
        ("aws:autoscaling/group:Group", "create", 60, 1200),
    ],
)
def test_a_time_out_of_the_program_reaches_only_what_the_provider_declares(
    token: str, operation: str, asked: float, seconds: float
):
    assert TYPES[token].timeouts.seconds(operation, asked) == seconds


class Late(Account):
    """An account whose service refuses some times, and then does what it is asked."""

    def __init__(self, refusals: Iterable[AwsError]) -> None:
        super().__init__("eu-west-1", {})
        self.refusals = list(refusals)

    def request(self, service: str, operation: str, parameters: Any) -> Any:  # noqa: ARG002
        if self.refusals:
            raise self.refusals.pop(0)
        return {"nodegroup": {}, "fargateProfile": {}}


def attempt(token: str, *refusals: AwsError) -> None:
    """The first request of a create that is refused so; raises the refusal that is final."""
    running = Running(kind=TYPES[token], account=Late(refusals), inputs={})
    running.do_patiently(TYPES[token].create[0])


PROFILE, GROUP = "aws:eks/fargateProfile:FargateProfile", "aws:eks/nodeGroup:NodeGroup"
NOT_YET = AwsError("InvalidParameterException", "Misconfigured PodExecutionRole Trust Policy")


def test_a_create_is_tried_again_only_after_refusals_that_the_real_provider_knows():
    attempt(PROFILE, NOT_YET, NOT_YET)

    for token, refusal in (
        (PROFILE, AwsError("InvalidParameterException", "Subnets must be private")),
        (PROFILE, AwsError("ResourceInUseException", NOT_YET.args[0])),
        # Of a node group none is known: what it needs has to be there, and old enough.
        (GROUP, NOT_YET),
    ):
        with pytest.raises(AwsError, match=re.escape(str(refusal))):
            attempt(token, refusal)


def test_settings_of_a_cluster_are_waited_updates_in_the_real_providers_order():
    (told,) = (s for s in facts()[CLUSTER]["update_behaviour"] if s.startswith("Order: "))
    order = told.removeprefix("Order: ").rstrip(".").split(", ")
    # The network's three requests are one step of the table: test_cluster_settings.py.
    own_words = {"endpoint access": "vpcConfig", "subnetIds": "vpcConfig"}
    own_words["securityGroupIds"] = "vpcConfig"
    known = [own_words.get(word, word) for word in order]
    ours = [step.changed[0] for step in TYPES[CLUSTER].steps() if step.changed != ("tags",)]

    assert ours == [name for name in dict.fromkeys(known) if name in TYPES[CLUSTER].properties]


@pytest.fixture
def late_iam() -> Iterator[None]:
    """Other services know of IAM's changes as late as in a rehearsal."""
    iam_propagation.install(iam_propagation.REHEARSED)
    yield
    iam_propagation.install(iam_propagation.Delays())


@pytest.mark.usefixtures("late_iam")
@pytest.mark.behaviour("iam-propagation-general")
def test_a_cluster_is_made_right_behind_the_policies_of_its_role(world: World):
    name, _ = world.cluster()

    assert name
