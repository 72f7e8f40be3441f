"""Changes of the spot stack: what each replaces, and what it leaves alone."""

import pytest

pytestmark = pytest.mark.engine

SPOT_GROUP = "frugal-eks:index:SpotNodeGroup"
HANDLER = "frugal-eks:addons:NodeTerminationHandler"


def changed(outcome):
    """Operation, type and name of all that does not stay the same."""
    return {(s.op, s.type, s.name) for s in outcome.steps if s.custom and s.op != "same"}


def operations(outcome):
    return {op for op, _, _ in changed(outcome)}


@pytest.mark.feature("A3-02")
def test_a_size_that_an_autoscaler_sets_is_not_put_back(life):
    before, after = life.changed.desired

    assert after == before + 1
    assert life.changed.resized.is_empty


@pytest.mark.feature("A0-32", "A4-19")
def test_without_the_handler_its_release_and_its_queue_go_and_groups_stay(life):
    gone = {(s.type, s.urn) for s in life.plans.handler_off.steps if s.custom and s.op == "delete"}

    releases = [urn for kind, urn in gone if kind == "kubernetes:helm.sh/v3:Release"]
    assert [HANDLER in urn for urn in releases] == [True]
    # Its hook on the group goes with it: nobody would answer.
    others = [urn for _, urn in gone if HANDLER not in urn]
    assert [urn.partition("$")[2].rpartition("$")[2] for urn in others] == [
        "aws:autoscaling/lifecycleHook:LifecycleHook::ng-spot"
    ]
    assert "replace" not in operations(life.plans.handler_off)


@pytest.mark.feature("A0-34")
def test_without_the_group_only_it_and_its_handler_go(life):
    gone = [step for step in life.plans.group_off.steps if step.custom and step.op != "same"]

    assert {step.op for step in gone} == {"delete"}
    assert any(step.type == "aws:autoscaling/group:Group" for step in gone)
    strangers = [s.urn for s in gone if SPOT_GROUP not in s.urn and HANDLER not in s.urn]
    assert [urn for urn in strangers if "SpotServiceLinkedRole" not in urn] == []


@pytest.mark.feature("B-34", "B-28")
def test_another_image_changes_the_template_and_rolls_the_group(life):
    assert changed(life.plans.newer_image) == {
        ("update", "aws:ec2/launchTemplate:LaunchTemplate", "ng-spot"),
        ("update", "aws:autoscaling/group:Group", "ng-spot"),
    }


def test_another_size_changes_the_group_alone(life):
    assert changed(life.plans.smaller) == {("update", "aws:autoscaling/group:Group", "ng-spot")}


@pytest.mark.feature("B-28")
def test_a_roll_replaces_every_node_one_after_the_other(life):
    before, after = life.changed.nodes

    assert life.changed.rolled.succeeded
    assert len(before) == len(after)
    assert before & after == set()
    assert life.changed.fewest >= len(before) - 1
    assert life.changed.preview.is_empty


@pytest.mark.feature("A0-29")
def test_the_spot_preference_is_an_update_in_place(life):
    before, after = life.changed.uids

    assert len(before) > 0
    assert before == after
    kinds = {(op, kind) for op, kind, _ in changed(life.changed.preference_off)}
    assert kinds == {("update", "kubernetes:apps/v1:Deployment")}


@pytest.mark.feature("A0-31")
def test_without_the_samples_their_services_and_deployments_go_and_nothing_else(life):
    gone = changed(life.changed.samples_off)

    assert operations(life.changed.samples_off) == {"delete"}, gone
    names = ["ecsdemo-crystal", "ecsdemo-frontend", "ecsdemo-nodejs"]
    for kind in ("kubernetes:apps/v1:Deployment", "kubernetes:core/v1:Service"):
        assert sorted(name for _, of_kind, name in gone if of_kind == kind) == names
    assert sorted(life.changed.left_in_default) == ["inflate", "kubernetes"]


@pytest.mark.feature("A4-07")
def test_the_other_mode_takes_queue_and_rights_away(life):
    gone = {kind for op, kind, _ in changed(life.plans.by_metadata) if op == "delete"}

    assert {"aws:sqs/queue:Queue", "aws:cloudwatch/eventRule:EventRule"} <= gone
    assert {"aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy"} <= gone
    assert "aws:autoscaling/group:Group" not in gone
    assert life.metadata.up.succeeded
