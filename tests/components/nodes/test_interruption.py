import json
from pathlib import Path

import pulumi_aws as aws
import pytest
from moto.events.models import EventPattern, EventPatternParser

from components.location import Location
from components.nodes.interruption import (
    InterruptionQueue,
    InterruptionQueueArgs,
    queue_policy,
    termination_handler_patterns,
)

EVENTS = Path(__file__).parents[2] / "data" / "events"
SAMPLES = {file.stem: json.loads(file.read_text()) for file in sorted(EVENTS.glob("*.json"))}
QUEUE = "aws:sqs/queue:Queue"
POLICY = "aws:sqs/queuePolicy:QueuePolicy"
RULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"
LOCATION = Location(region="eu-west-1", account="111122223333")

KARPENTER = {
    "capacity-reservation-interruption",
    "instance-state-change",
    "rebalance",
    "scheduled-change",
    "spot-interruption",
}
HANDLER = SAMPLES.keys() - {"capacity-reservation-interruption"}
GROUPS = ["spot-ng-spot", "spot-batch-1"]

# What else an account's bus carries, among it what is spelled almost like an event that counts.
NEIGHBOURS = {
    "a group launched an instance": ("aws.autoscaling", "EC2 Instance Launch Successful"),
    "a volume is made": ("aws.ec2", "EBS Volume Notification"),
    "a fleet changed": ("aws.ec2fleet", "EC2 Fleet Spot Instance Request Change"),
    "somebody called EC2": ("aws.ec2", "AWS API Call via CloudTrail"),
    "an interruptible reservation ends": (
        "aws.ec2",
        "EC2 Interruptible Capacity Reservation Instance Interruption Warning",
    ),
    "somebody plays EC2": ("my.ec2", "EC2 Spot Instance Interruption Warning"),
    "abuse is told": ("aws.health", "AWS Health Abuse Event"),
}


def queue():
    return InterruptionQueue("it", InterruptionQueueArgs(queue_name="dev"))


def handlers(**unwanted):
    """The Node Termination Handler's, with all events but the unwanted."""
    wanted = dict.fromkeys(("spot", "rebalance", "scheduled", "state_change"), True)
    return InterruptionQueueArgs(
        queue_name="dev-nth",
        patterns=termination_handler_patterns(GROUPS, **wanted | unwanted),
        own_rules_only=True,
    )


def handlers_queue():
    InterruptionQueue("it", handlers())


def matches(rule, event):
    """As EventBridge decides; the matcher is not ours."""
    text = rule.inputs["eventPattern"]
    return EventPattern(text, EventPatternParser(text).parse()).matches_event(event)


def named(built, noun):
    return built.named(RULE, f"it-{noun}")


def rules(built):
    return {rule.request.name.removeprefix("it-") for rule in built.every(RULE)}


@pytest.mark.feature("C-04", "B-36", "A4-03", "A4-04")
def test_every_rule_has_a_sample_of_the_event_it_waits_for(once):
    assert rules(once(queue)) == KARPENTER
    assert rules(once(handlers_queue)) == HANDLER
    assert SAMPLES.keys() == KARPENTER | HANDLER


@pytest.mark.feature("C-04", "A4-03", "A4-04")
@pytest.mark.parametrize("noun", sorted(KARPENTER))
def test_a_rule_takes_the_event_it_waits_for_and_no_other_rule_does(once, noun):
    built = once(queue)

    taken = [rule.request.name for rule in built.every(RULE) if matches(rule, SAMPLES[noun])]
    assert taken == [f"it-{noun}"]


@pytest.mark.feature("A4-02", "C-04")
@pytest.mark.parametrize("noun", SAMPLES)
def test_the_handler_takes_each_event_by_one_rule_and_no_reservation_of_capacity(once, noun):
    built = once(handlers_queue)

    taken = [rule.request.name for rule in built.every(RULE) if matches(rule, SAMPLES[noun])]
    assert taken == [f"it-{noun}" for noun in {noun} & HANDLER]


@pytest.mark.feature("A4-02")
def test_the_handler_hears_of_the_ends_of_its_own_groups_and_of_no_other(once):
    rule = named(once(handlers_queue), "lifecycle-action")
    sample = SAMPLES["lifecycle-action"]

    def end(group):
        return sample | {"detail": sample["detail"] | {"AutoScalingGroupName": group}}

    assert all(matches(rule, end(group)) for group in GROUPS)
    assert not any(matches(rule, end(group)) for group in ("spot-base", "spot-ng-spot-2", ""))
    launch = sample | {"detail-type": "EC2 Instance-launch Lifecycle Action"}
    assert not matches(rule, launch)


@pytest.mark.feature("A4-02")
@pytest.mark.parametrize("state", ["pending", "running"])
def test_the_handler_hears_of_no_instance_that_starts(once, state):
    sample = SAMPLES["instance-state-change"]

    event = sample | {"detail": sample["detail"] | {"state": state}}
    assert not matches(named(once(handlers_queue), "instance-state-change"), event)


@pytest.mark.feature("A4-02")
@pytest.mark.parametrize(
    "other", [{"service": "RDS"}, {"eventTypeCategory": "issue"}, {"service": "EC2 Auto Scaling"}]
)
def test_the_handler_hears_of_maintenance_of_ec2_and_of_nothing_else_in_health(once, other):
    sample = SAMPLES["scheduled-change"]

    rule = named(once(handlers_queue), "scheduled-change")
    assert matches(rule, sample)
    assert not matches(rule, sample | {"detail": sample["detail"] | other})


@pytest.mark.feature("A4-02", "A4-13", "A4-14")
@pytest.mark.parametrize(
    ("unwanted", "noun"),
    [
        ("spot", "spot-interruption"),
        ("rebalance", "rebalance"),
        ("scheduled", "scheduled-change"),
        ("state_change", "instance-state-change"),
    ],
)
def test_what_shall_not_drain_does_not_arrive(unwanted, noun):
    assert handlers(**{unwanted: False}).patterns.keys() == HANDLER - {noun}


def test_the_ends_of_groups_always_arrive():
    nothing = dict.fromkeys(("spot", "rebalance", "scheduled", "state_change"), False)

    assert handlers(**nothing).patterns.keys() == {"lifecycle-action"}


@pytest.mark.feature("C-04")
@pytest.mark.parametrize(("source", "kind"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_no_rule_takes_an_event_of_another_kind(once, source, kind):
    event = SAMPLES["spot-interruption"] | {"source": source, "detail-type": kind}

    for program in (queue, handlers_queue):
        assert [rule.urn for rule in once(program).every(RULE) if matches(rule, event)] == []


@pytest.mark.feature("C-04")
@pytest.mark.parametrize("state", ["stopping", "stopped", "shutting-down", "terminated"])
@pytest.mark.parametrize("program", [queue, handlers_queue])
def test_the_end_of_an_instance_is_heard_of_in_each_of_its_states(once, program, state):
    sample = SAMPLES["instance-state-change"]

    event = sample | {"detail": sample["detail"] | {"state": state}}
    assert matches(named(once(program), "instance-state-change"), event)


@pytest.mark.feature("C-04", "B-36")
def test_every_rule_is_on_the_bus_of_aws_and_delivers_to_the_queue(once):
    built = once(queue)

    arn = "arn:aws:sqs:eu-west-1:111122223333:dev"
    for rule in built.every(RULE):
        # Neither a bus of its own nor a state: such a rule would hear nothing.
        assert rule.inputs.keys() == {"description", "eventPattern"}
    assert {target.request.name: target.inputs for target in built.every(TARGET)} == {
        f"it-{noun}": {"arn": arn, "rule": f"it-{noun}"} for noun in KARPENTER
    }


@pytest.mark.feature("C-04")
@pytest.mark.parametrize("program", [queue, handlers_queue])
def test_no_rule_delivers_before_the_queue_lets_it(once, program):
    built = once(program)

    policy = built.one(POLICY)
    assert all(built.waits_for(target, policy) for target in built.every(TARGET))


@pytest.mark.feature("B-36")
def test_the_queue_forgets_after_five_minutes_and_is_encrypted_by_sqs(once):
    assert once(queue).one(QUEUE).inputs == {
        "name": "dev",
        "messageRetentionSeconds": 300,
        "sqsManagedSseEnabled": True,
    }


@pytest.mark.feature("B-36")
def test_aws_s_event_services_may_send_and_nobody_comes_without_tls(once):
    policy = once(queue).one(POLICY).inputs

    arn = "arn:aws:sqs:eu-west-1:111122223333:dev"
    assert policy["queueUrl"] == "https://sqs/dev"
    assert json.loads(policy["policy"]) == {
        "Version": "2012-10-17",
        "Id": "EC2InterruptionPolicy",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": arn,
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }


@pytest.mark.feature("A4-07")
def test_to_the_handler_s_queue_only_its_own_rules_may_send(once):
    send, deny = json.loads(once(handlers_queue).one(POLICY).inputs["policy"])["Statement"]

    rules = [f"arn:aws:cloudwatch:eu-west-1:111122223333:rule/it-{noun}" for noun in HANDLER]
    senders = send["Condition"]["ArnEquals"].pop("aws:SourceArn")
    assert sorted(senders) == sorted(rules)
    assert send == {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": "arn:aws:sqs:eu-west-1:111122223333:dev-nth",
        "Condition": {"ArnEquals": {}},
    }
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.feature("B-36", "C-05")
def test_queue_policy_and_rules_are_those_of_upstream_s_template(once, upstream):
    template, built = upstream(LOCATION, "dev"), once(queue)

    # CloudFormation's file says false where IAM's grammar has text, and leaves the version out.
    said = template["KarpenterInterruptionQueuePolicy"]["Properties"]["PolicyDocument"]
    said = json.loads(json.dumps(said).replace("false", '"false"'))
    own = queue_policy("arn of the queue")
    assert {key: own[key] for key in said} == said
    made = template["KarpenterInterruptionQueue"]["Properties"]
    assert built.one(QUEUE).inputs == {
        "name": made["QueueName"],
        "messageRetentionSeconds": made["MessageRetentionPeriod"],
        "sqsManagedSseEnabled": made["SqsManagedSseEnabled"],
    }
    wanted = [each for each in template.values() if each["Type"] == "AWS::Events::Rule"]
    assert sorted(rule.inputs["eventPattern"] for rule in built.every(RULE)) == sorted(
        json.dumps(rule["Properties"]["EventPattern"]) for rule in wanted
    )


@pytest.mark.feature("B-15", "C-06")
def test_a_long_name_is_shortened_to_what_sqs_takes(deploy):
    def of(cluster):
        args = InterruptionQueueArgs(queue_name=cluster)
        return deploy(lambda: InterruptionQueue("it", args)).one(QUEUE).inputs["name"]

    assert of("a" * 80) == "a" * 80
    assert of("a" * 100) == f"{'a' * 71}-28165978"
    assert of("a" * 99 + "b") != of("a" * 99 + "c")


@pytest.mark.parametrize("known", ["queue_name", "queue_url"])
def test_its_name_and_its_address_are_known_once_every_rule_delivers(deploy, known):
    def program():
        aws.sqs.Queue("reader", name=getattr(queue(), known))

    built = deploy(program)

    reader = built.named(QUEUE, "reader")
    delivering = [built.named(TARGET, f"it-{noun}") for noun in KARPENTER]
    assert all(built.waits_for(reader, target) for target in delivering)


@pytest.mark.parametrize("program", [queue, handlers_queue])
def test_a_preview_shows_all_of_it(once, program):
    assert once(program, preview=True).tree() == once(program).tree()
